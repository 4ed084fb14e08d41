let[@inline never] clamp low high x = if x < low then low else if x > high then high else x

let () =
  let sum = ref 0 in
  for i = 1 to 100_000 do
    sum := !sum + clamp (i land 7) (i land 63) i
  done;
  print_int !sum
