let length x y = (x * x) + (y * y)

let () =
  let sum = ref 0 in
  for i = 1 to 100_000 do
    sum := !sum + length i 2
  done;
  print_int !sum
