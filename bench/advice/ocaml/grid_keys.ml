(* Which fields of a grid were visited. *)
let visited : (string, unit) Hashtbl.t = Hashtbl.create 4096
let key x y = Printf.sprintf "%d:%d" x y (* here: formats *)

let () =
  let steps = ref 0 in
  for round = 0 to 9 do
    for x = 0 to 49 do
      for y = 0 to 49 do
        let key = key x ((y + round) mod 50) in
        if not (Hashtbl.mem visited key) then Hashtbl.add visited key ();
        incr steps
      done
    done
  done;
  print_int (!steps + Hashtbl.length visited)
