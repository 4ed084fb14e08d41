(* A writer of fields, given some of its arguments. *)
let out = Buffer.create 1_000_000

let write separator quote field =
  Buffer.add_char out quote;
  Buffer.add_string out field;
  Buffer.add_char out quote;
  Buffer.add_char out separator

let write_row separator row = List.iter (write separator '"') row (* here: partial-application *)

let () =
  let row = [ "a"; "bc" ] in
  for i = 1 to 40_000 do
    write_row (if i mod 2 = 0 then ',' else ';') row
  done;
  print_int (Buffer.length out)
