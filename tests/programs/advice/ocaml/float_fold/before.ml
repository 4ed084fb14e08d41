(* A fold whose accumulator is a float: each step returns it in a box. *)
let numbers = Array.init 1000 float_of_int
let total () = 1. +. Array.fold_left (fun sum x -> sum +. (x *. 0.5)) 0. numbers (* here: float-folds *)

let () =
  let sum = ref 0. in
  for _ = 1 to 100 do
    sum := !sum +. total ()
  done;
  print_float !sum
