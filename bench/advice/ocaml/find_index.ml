(* Where a value stands in an array, if it does. *)
let values = Array.init 64 (fun i -> i * i)

let index_of value =
  let rec go i = (* here: closures *)
    if i >= Array.length values then None
    else if values.(i) = value then Some i (* here: options *)
    else go (i + 1)
  in
  go 0

let () =
  let sum = ref 0 in
  for i = 0 to 100_000 do
    match index_of (i mod 64 * (i mod 64)) with Some at -> sum := !sum + at | None -> decr sum
  done;
  print_int !sum
