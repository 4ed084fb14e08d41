(* Numbers as texts on their way into a buffer. *)
let () =
  let buffer = Buffer.create 1_000_000 in
  for i = 1 to 100_000 do
    Buffer.add_string buffer (string_of_int i) (* here: number-texts *)
  done;
  print_int (Buffer.length buffer)
