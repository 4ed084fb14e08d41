(* Counts requests by address. *)
let lines = Array.init 20000 (fun i -> Printf.sprintf "10.0.%d.%d" (i mod 7) (i mod 11)) (* also: formats *)
let counts : (string, int) Hashtbl.t = Hashtbl.create 256

let count address =
  match Hashtbl.find_opt counts address with (* here: options *)
  | Some n -> Hashtbl.replace counts address (n + 1)
  | None -> Hashtbl.add counts address 1

let () =
  for _ = 1 to 20 do
    Array.iter count lines
  done;
  print_int (Hashtbl.length counts)
