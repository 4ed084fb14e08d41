let[@inline never] quotient a b =
  if b = 0 then failwith "zero";
  a / b

let () =
  let sum = ref 0 in
  for i = 1 to 100_000 do
    let quotient = quotient i 7 in
    sum := !sum + quotient + (i - (quotient * 7))
  done;
  print_int !sum
