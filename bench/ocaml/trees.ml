(* Binary trees: small blocks, most of them dead at once. *)
type t =
  | Leaf
  | Node of t * t

let rec make depth =
  if depth = 0 then Leaf else Node (make (depth - 1), make (depth - 1))

let rec count = function
  | Leaf -> 1
  | Node (l, r) -> count l + count r + 1

let run depth =
  let kept = make depth in
  let total = ref 0 in
  for level = 1 to depth / 4 do
    let trees = 1 lsl (depth - (4 * level) + 4) in
    for _ = 1 to trees do
      total := !total + count (make (4 * level))
    done
  done;
  Printf.printf "%d %d\n" !total (count kept)
