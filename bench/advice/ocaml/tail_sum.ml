(* A mean over readings, by a recursion with a float. *)
let rec total i n acc = if i = n then acc else total (i + 1) n (acc +. (float_of_int i *. 0.5)) [@@inline never] (* here: boxed-floats here: float-returned *)

let () =
  let sum = ref 0. in
  for k = 1 to 600 do
    sum := !sum +. total 0 (100 + k) 0.
  done;
  Printf.printf "%g\n" !sum
