(* Boards on which moves are tried. *)
let score board = Array.fold_left ( + ) 0 board

let best board =
  let most = ref 0 in
  for square = 0 to 63 do
    let next = Array.copy board in (* here: copies *)
    next.(square) <- next.(square) * 2;
    let points = score next in
    if points > !most then most := points
  done;
  !most

let () =
  let board = Array.init 64 (fun i -> i * 5 mod 17) in
  let all = ref 0 in
  for _ = 1 to 150 do
    all := !all + best board
  done;
  print_int !all
