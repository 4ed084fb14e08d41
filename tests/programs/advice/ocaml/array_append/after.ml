let () =
  let all = ref [] in
  for i = 1 to 1000 do
    all := i :: !all
  done;
  let all = Array.of_list (List.rev !all) in
  print_int (Array.fold_left ( + ) 0 all)
