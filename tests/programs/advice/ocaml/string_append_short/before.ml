(* Short texts that grow by two characters each time, whose deaths are not known one by one. *)
let digits = Array.init 256 (fun n -> String.init 2 (fun i -> "0123456789abcdef".[n lsr (4 * i) land 15]))

let[@inline never] hex bytes =
  let text = ref "" in
  for i = 0 to String.length bytes - 1 do
    text := !text ^ digits.(Char.code bytes.[i]) (* here: string-append *)
  done;
  !text

let () =
  let length = ref 0 in
  for i = 1 to 400 do
    length := !length + String.length (hex (String.make 70 (Char.chr (i land 255))))
  done;
  print_int !length
