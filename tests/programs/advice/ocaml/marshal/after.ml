let tree = List.init 200 (fun i -> (i, string_of_int i))

let () =
  let sum = ref 0 in
  let buffer = Bytes.create 65536 in
  for _ = 1 to 2000 do
    let size = Marshal.to_buffer buffer 0 (Bytes.length buffer) tree [] in
    sum := !sum + size
  done;
  print_int !sum
