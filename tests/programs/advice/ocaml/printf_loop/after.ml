let () =
  let table = Hashtbl.create 64 in
  for i = 1 to 5_000 do
    let key = string_of_int (i land 7) ^ ":" ^ string_of_int (i land 3) in
    Hashtbl.replace table key ()
  done;
  print_int (Hashtbl.length table)
