let rec add_int buffer n =
  if n >= 10 then add_int buffer (n / 10);
  Buffer.add_char buffer (Char.unsafe_chr (48 + (n mod 10)))

let () =
  let buffer = Buffer.create 1_000_000 in
  for i = 1 to 100_000 do
    add_int buffer i
  done;
  print_int (Buffer.length buffer)
