(* A counter that a function is given: it lives in a block. *)
let[@inline never] bump counter n = counter := !counter + n

let[@inline never] count n =
  let counter = ref 0 in (* here: escaping-refs *)
  bump counter n;
  bump counter 1;
  !counter

let () =
  let sum = ref 0 in
  for i = 1 to 100_000 do
    sum := !sum + count i
  done;
  print_int !sum
