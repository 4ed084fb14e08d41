let[@inline never] measure area i n = area i n + 1
let area i n = n * n * i

let () =
  let sum = ref 0 in
  for i = 1 to 100_000 do
    sum := !sum + measure area i 3
  done;
  print_int !sum
