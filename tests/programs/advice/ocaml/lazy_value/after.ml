let[@inline never] choose n default = if n land 1 = 0 then n else default

let () =
  let sum = ref 0 in
  for i = 1 to 100_000 do
    sum := !sum + choose i (i * 3)
  done;
  print_int !sum
