(* Numbers of a binary file, added up as int. *)
let input = Bytes.init 4096 (fun i -> Char.chr (i land 255))

let word at =
  (Bytes.get_uint16_be input at lsl 16) lor Bytes.get_uint16_be input (at + 2)

let () =
  let sums = Array.make 100_000 0 in
  for i = 0 to 99_999 do
    sums.(i) <- word (i * 4 land 4095)
  done;
  print_int (Array.fold_left ( + ) 0 sums)
