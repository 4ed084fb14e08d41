(* The best of a table, by way of a list of its entries. *)
let scores : (string, int) Hashtbl.t = Hashtbl.create 128
let () = for i = 0 to 99 do Hashtbl.replace scores ("player" ^ string_of_int i) (i * 7919 mod 503) done

let best () =
  let all = Hashtbl.fold (fun name score acc -> (score, name) :: acc) scores [] in (* here: tuples *)
  List.fold_left (fun (s, n) (s', n') -> if s' > s then (s', n') else (s, n)) (0, "") all (* here: tuples *)

let () =
  let n = ref 0 in
  for _ = 1 to 700 do
    let score, name = best () in
    n := !n + score + String.length name
  done;
  print_int !n
