let () =
  let sum = ref 0 in
  for i = 1 to 100 do
    let all = ref [] in
    for k = 1 to 1000 do
      all := (i * k) :: !all
    done;
    sum := !sum + List.length !all
  done;
  print_int !sum
