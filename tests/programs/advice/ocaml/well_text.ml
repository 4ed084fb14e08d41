(* A text put together in one buffer of the right size. *)
let () =
  let buffer = Buffer.create 700_000 in
  for i = 1 to 100_000 do
    Buffer.add_string buffer (if i land 1 = 0 then "even\n" else "odd\n")
  done;
  print_int (Buffer.length buffer)
