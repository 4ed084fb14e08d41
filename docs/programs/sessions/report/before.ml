(* A report in HTML: one row for each measurement. *)
let row i = Printf.sprintf "<tr><td>%d</td><td>%d</td></tr>\n" i (i * i mod 97)

let table n =
  let html = ref "<table>\n" in
  for i = 1 to n do
    html := !html ^ row i
  done;
  !html ^ "</table>\n"

let () = print_int (String.length (table 1500))
