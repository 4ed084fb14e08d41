let page n =
  let buffer = Buffer.create (n * 10) in
  for _ = 1 to n do
    Buffer.add_string buffer "0123456789"
  done;
  Buffer.length buffer

let () =
  let sum = ref 0 in
  for _ = 1 to 20 do
    sum := !sum + page 13_000
  done;
  print_int !sum
