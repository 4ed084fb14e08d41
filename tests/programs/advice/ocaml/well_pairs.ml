(* Pairs and options that are kept: a table of what was found. *)
let table = Array.make 60_000 None

let () =
  for turn = 1 to 3 do
    for i = 0 to Array.length table - 1 do
      table.(i) <- Some (i, turn)
    done
  done;
  match table.(17) with
  | Some (a, b) -> print_int (a + b)
  | None -> ()
