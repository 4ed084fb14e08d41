(* Keys of a table, put together by a format. *)
let () =
  let table = Hashtbl.create 64 in
  for i = 1 to 5_000 do
    let key = Printf.sprintf "%d:%d" (i land 7) (i land 3) in (* here: formats *)
    Hashtbl.replace table key ()
  done;
  print_int (Hashtbl.length table)
