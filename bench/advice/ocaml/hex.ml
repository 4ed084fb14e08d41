(* A digest as hexadecimal digits, one text after the other. *)
let digit n = String.make 1 "0123456789abcdef".[n]

let hex bytes =
  let text = ref "" in
  String.iter
    (fun c ->
      let n = Char.code c in
      text := !text ^ digit (n lsr 4) ^ digit (n land 15)) (* here: string-append *)
    bytes;
  !text

let () =
  let n = ref 0 in
  for i = 1 to 400 do
    n := !n + String.length (hex (String.make 64 (Char.chr (i land 255))))
  done;
  print_int !n
