(* Vectors that are made for each step of a sum. *)
type vector = { x : int; y : int }

let[@inline never] add a b = { x = a.x + b.x; y = a.y + b.y } (* here: records *)

let () =
  let sum = ref { x = 0; y = 0 } and step = { x = 1; y = 2 } in
  for _ = 1 to 100_000 do
    sum := add !sum step
  done;
  Printf.printf "%d %d\n" !sum.x !sum.y
