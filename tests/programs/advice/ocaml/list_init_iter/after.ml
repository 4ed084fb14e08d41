let () =
  let sum = ref 0 in
  for turn = 1 to 100 do
    for i = 0 to 999 do
      sum := !sum + (i * turn)
    done
  done;
  print_int !sum
