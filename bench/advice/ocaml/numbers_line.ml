(* Numbers put into a buffer. *)
let render numbers buffer =
  Buffer.clear buffer;
  Array.iter
    (fun n ->
      Buffer.add_string buffer (string_of_int n); (* here: number-texts *)
      Buffer.add_char buffer ' ')
    numbers

let () =
  let buffer = Buffer.create 4_096 in
  let numbers = Array.init 300 (fun i -> i * 37) in
  for _ = 1 to 200 do
    render numbers buffer
  done;
  print_int (Buffer.length buffer)
