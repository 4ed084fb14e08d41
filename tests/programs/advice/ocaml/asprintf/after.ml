let () =
  let size = ref 0 in
  for i = 1 to 2_000 do
    let text = string_of_int i ^ "," ^ string_of_int (i * 2) in
    size := !size + String.length text
  done;
  print_int !size
