(* How many of each article are in stock. *)
let stock : (string, int) Hashtbl.t = Hashtbl.create 100
let articles = Array.init 100 (fun i -> "article " ^ string_of_int i)

let available article count =
  match Hashtbl.find_opt stock article with (* here: options *)
  | Some n -> n >= count
  | None -> false

let () =
  Array.iteri (fun i a -> Hashtbl.replace stock a (i mod 10)) articles;
  let yes = ref 0 in
  for i = 1 to 80_000 do
    if available articles.(i mod 100) (i mod 8) then incr yes
  done;
  print_int !yes
