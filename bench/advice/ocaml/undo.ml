(* A board is copied before each try. *)
type game = { board : int array; mutable turn : int; mutable taken : int }

let copy g = { g with board = Array.copy g.board } (* here: copies here: record-copies *)

let play g at =
  let g' = copy g in (* here: copies *)
  g'.board.(at) <- 1 + (g'.turn land 1);
  g'.turn <- g'.turn + 1;
  g'.taken <- Array.fold_left (fun n x -> if x > 0 then n + 1 else n) 0 g'.board;
  g'

let () =
  let start = { board = Array.make 42 0; turn = 0; taken = 0 } in
  let n = ref 0 in
  for i = 1 to 12_000 do
    let g = play start (i mod 42) in
    n := !n + g.taken + g.turn
  done;
  print_int !n
