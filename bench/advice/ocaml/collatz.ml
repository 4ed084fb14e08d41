(* The longest of Collatz' sequences. *)
let rec steps n count =
  if Int64.equal n 1L then count
  else if Int64.equal (Int64.rem n 2L) 0L then steps (Int64.div n 2L) (count + 1) (* here: boxed-integers *)
  else steps (Int64.add (Int64.mul 3L n) 1L) (count + 1) (* also: boxed-integers *)

let () =
  let best = ref 0 in
  for n = 1 to 2000 do
    best := max !best (steps (Int64.of_int n) 0) (* also: boxed-integers *)
  done;
  print_int !best
