(* A list of numbers that is made to be walked once. *)
let () =
  let sum = ref 0 in
  for turn = 1 to 100 do
    List.iter (fun i -> sum := !sum + (i * turn)) (List.init 1000 (fun i -> i)) (* here: list-chain *)
  done;
  print_int !sum
