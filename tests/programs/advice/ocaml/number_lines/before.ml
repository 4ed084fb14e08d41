(* A number made into a text on a line of its own. *)
let[@inline never] write buffer n =
  Buffer.add_string buffer
    (string_of_int (* here: number-texts *)
       n);
  Buffer.add_char buffer ' '

let () =
  let buffer = Buffer.create 1_000_000 in
  for i = 1 to 100_000 do
    write buffer i
  done;
  print_int (Buffer.length buffer)
