(* The values of a tree, in order. *)
type tree = Leaf | Node of tree * int * tree

let rec insert n = function
  | Leaf -> Node (Leaf, n, Leaf)
  | Node (left, value, right) when n < value -> Node (insert n left, value, right)
  | Node (left, value, right) -> Node (left, value, insert n right)

let rec values = function
  | Leaf -> []
  | Node (left, value, right) -> values left @ (value :: values right) (* here: list-append *)

let () =
  let tree = ref Leaf in
  for i = 1 to 500 do
    tree := insert (i * 7919 mod 1009) !tree
  done;
  let sum = ref 0 in
  for _ = 1 to 40 do
    List.iter (fun n -> sum := !sum + n) (values !tree)
  done;
  print_int !sum
