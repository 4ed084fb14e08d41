(* A report in HTML: one row for each measurement. *)
let row i = Printf.sprintf "<tr><td>%d</td><td>%d</td></tr>\n" i (i * i mod 97)

let table n =
  let html = Buffer.create 65536 in
  Buffer.add_string html "<table>\n";
  for i = 1 to n do
    Buffer.add_string html (row i)
  done;
  Buffer.add_string html "</table>\n";
  Buffer.contents html

let () = print_int (String.length (table 1500))
