(* The sum of a shopping basket, in a reference that a closure changes. *)
let prices = List.init 50 (fun i -> float_of_int (i mod 13) *. 0.75)

let total discount =
  let sum = ref 0. in
  List.iter (fun price -> sum := !sum +. (price *. discount)) prices; (* here: boxed-floats *)
  !sum

let () =
  let all = ref 0 in
  for i = 1 to 1_500 do
    all := !all + int_of_float (total (1. -. (float_of_int (i mod 10) /. 100.)))
  done;
  print_int !all
