(* Texts of 100 kB, each in a buffer that begins with 16 bytes. *)
let page n =
  let buffer = Buffer.create 16 in
  for _ = 1 to n do
    Buffer.add_string buffer "0123456789" (* here: buffer-growth *)
  done;
  Buffer.length buffer

let () =
  let sum = ref 0 in
  for _ = 1 to 20 do
    sum := !sum + page 13_000
  done;
  print_int !sum
