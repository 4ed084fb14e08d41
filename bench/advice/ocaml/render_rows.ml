(* A table's rows as text. *)
let cells = Array.init 8 (fun i -> "cell " ^ string_of_int i)

let row number =
  let out = Buffer.create 512 in (* here: scratch-arrays *)
  Array.iter (fun cell -> Buffer.add_string out cell; Buffer.add_char out '|') cells; (* also: closures *)
  Buffer.add_char out (if number mod 2 = 0 then 'e' else 'o');
  Buffer.length out

let () =
  let length = ref 0 in
  for number = 0 to 9999 do
    length := !length + row number
  done;
  print_int !length
