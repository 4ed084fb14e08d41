let collect n =
  let all = ref [] in
  for i = 1 to n do
    all := i :: !all
  done;
  List.rev !all

let () = print_int (List.length (collect 600))
