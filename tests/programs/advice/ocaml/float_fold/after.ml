let numbers = Array.init 1000 float_of_int

let total () =
  let sum = ref 0. in
  for i = 0 to Array.length numbers - 1 do
    sum := !sum +. (numbers.(i) *. 0.5)
  done;
  1. +. !sum

let () =
  let sum = ref 0. in
  for _ = 1 to 100 do
    sum := !sum +. total ()
  done;
  print_float !sum
