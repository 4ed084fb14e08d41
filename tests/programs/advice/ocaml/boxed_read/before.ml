(* Numbers of a binary file, read as int32 by a function that is not inlined. *)
let input = Bytes.init 4096 (fun i -> Char.chr (i land 255))
let[@inline never] word at = Bytes.get_int32_be input at (* here: boxed-integers *)

let () =
  let sum = ref 0 in
  for i = 0 to 99_999 do
    sum := !sum + Int32.to_int (word (i * 4 land 4095))
  done;
  print_int !sum
