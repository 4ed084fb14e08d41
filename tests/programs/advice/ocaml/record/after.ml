type vector = { mutable x : int; mutable y : int }

let[@inline never] add sum a =
  sum.x <- sum.x + a.x;
  sum.y <- sum.y + a.y

let () =
  let sum = { x = 0; y = 0 } and step = { x = 1; y = 2 } in
  for _ = 1 to 100_000 do
    add sum step
  done;
  Printf.printf "%d %d\n" sum.x sum.y
