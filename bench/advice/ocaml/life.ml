(* Neighbours in the game of life, whose cells are in a table by their coordinates. *)
let cells = Hashtbl.create 4_000

let neighbours x y =
  let count = ref 0 in
  for dx = -1 to 1 do
    for dy = -1 to 1 do
      if (dx <> 0 || dy <> 0) && Hashtbl.mem cells (x + dx, y + dy) then incr count (* here: tuples *)
    done
  done;
  !count

let () =
  for i = 0 to 999 do
    Hashtbl.replace cells (i * 7 mod 40, i * 13 mod 40) ()
  done;
  let born = ref 0 in
  for x = 0 to 99 do
    for y = 0 to 99 do
      if neighbours x y = 3 then incr born
    done
  done;
  print_int !born
