(* A bar of progress, of one text for each step. *)
let bar n =
  Format.sprintf "%3d%% |%s%s|" n (* here: formats *)
    (String.make (n / 5) '#')
    (String.make (20 - (n / 5)) ' ')

let () =
  let n = ref 0 in
  for i = 1 to 3_000 do
    n := !n + String.length (bar (i mod 101)) 
  done;
  print_int !n
