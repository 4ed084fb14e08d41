let lines n =
  let text = Buffer.create 10_000 in
  for i = 1 to n do
    Buffer.add_string text (if i land 1 = 0 then "even\n" else "odd\n")
  done;
  Buffer.contents text

let () = print_int (String.length (lines 2000))
