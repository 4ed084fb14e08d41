let lines n =
  let text = Buffer.create 16000 in
  for i = 1 to n do
    Buffer.add_char text '\n';
    Buffer.add_string text (if i land 1 = 0 then "even" else "odd")
  done;
  Buffer.contents text

let () = print_int (String.length (lines 2000))
