(* A board that is copied to try a move. *)
let board = Array.make 64 0

let[@inline never] try_move i =
  let next = Array.copy board in (* here: copies *)
  next.(i) <- 1;
  next.(i) + next.(63 - i)

let () =
  let sum = ref 0 in
  for i = 1 to 20_000 do
    sum := !sum + try_move (i land 63)
  done;
  print_int !sum
