(* Pages of HTML, each in a buffer of its own. *)
let rows = List.init 200 (fun i -> "row number " ^ string_of_int i)

let page title =
  let html = Buffer.create 80 in
  Buffer.add_string html "<h1>";
  Buffer.add_string html title;
  List.iter
    (fun row ->
      Buffer.add_string html "<li>"; (* here: buffer-growth *)
      Buffer.add_string html row) (* here: buffer-growth *)
    rows;
  Buffer.length html

let () =
  let all = ref 0 in
  for i = 1 to 300 do
    all := !all + page (if i mod 2 = 0 then "Even" else "Odd")
  done;
  print_int !all
