(* A reference to a float that a closure shares: each assignment makes a box. *)
let () =
  let numbers = List.init 1000 float_of_int in
  let total = ref 0. in
  for _ = 1 to 100 do
    List.iter (fun x -> total := !total +. x) numbers (* here: boxed-floats *)
  done;
  print_float !total
