(* Two results, returned as a tuple which its caller takes apart at once. *)
let[@inline never] divide a b =
  if b = 0 then failwith "zero";
  (a / b, a mod b) (* here: tuples *)

let () =
  let sum = ref 0 in
  for i = 1 to 100_000 do
    let quotient, rest = divide i 7 in
    sum := !sum + quotient + rest
  done;
  print_int !sum
