(* Places that have been visited, by a text as their key. *)
let seen = Hashtbl.create 1_000

let visit x y =
  let key = Printf.sprintf "%d,%d" x y in (* here: formats *)
  if Hashtbl.mem seen key then false
  else begin
    Hashtbl.add seen key ();
    true
  end

let () =
  let fresh = ref 0 in
  for i = 1 to 20_000 do
    if visit (i mod 30) (i mod 20) then incr fresh
  done;
  print_int !fresh
