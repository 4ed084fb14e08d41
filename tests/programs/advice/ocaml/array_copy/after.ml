let board = Array.make 64 0

let[@inline never] try_move i =
  let before = board.(i) in
  board.(i) <- 1;
  let value = board.(i) + board.(63 - i) in
  board.(i) <- before;
  value

let () =
  let sum = ref 0 in
  for i = 1 to 20_000 do
    sum := !sum + try_move (i land 63)
  done;
  print_int !sum
