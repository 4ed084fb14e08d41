(* The third column of a table in a text. *)
let lines = Array.init 100 (fun i -> Printf.sprintf "%d;name%d;%d;x;y" i i (i * 3))

let column n line = List.nth (String.split_on_char ';' line) n (* here: splits *)

let () =
  let sum = ref 0 in
  for i = 1 to 8_000 do
    sum := !sum + String.length (column 2 lines.(i mod 100))
  done;
  print_int !sum
