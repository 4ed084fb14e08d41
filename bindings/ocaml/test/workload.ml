(* Does the same each time: blocks of many kinds and sizes, from stacks that grow, shrink and part, of which some are
   promoted. Collections are asked for, and do not come by themselves where the minor heap is large. *)
type tree =
  | Leaf
  | Node of tree * int * tree

let kept : Obj.t list ref = ref []
let keep x = kept := Obj.repr (Sys.opaque_identity x) :: !kept
let state = ref 1

let random n =
  state := ((!state * 1103515245) + 12345) land 0x3fffffff;
  (!state lsr 8) mod n

let rec grow depth =
  if depth = 0 then Leaf else Node (grow (depth - 1), depth, grow (depth - 1))

let rec insert x = function
  | Leaf -> Node (Leaf, x, Leaf)
  | Node (l, y, r) when x < y -> Node (insert x l, y, r)
  | Node (l, y, r) -> Node (l, y, insert x r)

let[@inline always] pair x y = x, y
let rec deep n = if n = 0 then [| 1; 2; 3 |] else (keep (deep (n - 1)); Array.make (1 + random 5) n)

let strings () =
  let buffer = Buffer.create 10 in
  for i = 1 to 200 do
    Printf.bprintf buffer "%d %s;" i (String.make (random 300) 'x');
    if random 10 = 0 then keep (Buffer.contents buffer)
  done;
  keep (String.split_on_char ';' (Buffer.contents buffer))

let tables () =
  let table = Hashtbl.create 16 in
  for i = 1 to 300 do
    Hashtbl.replace table (random 100) (pair i (float_of_int i))
  done;
  keep (Hashtbl.fold (fun k v l -> (k, v) :: l) table [] |> List.sort compare)

let closures () =
  let fs = List.init 50 (fun i -> if i land 1 = 0 then ( + ) i else fun x -> random (x + 1)) in
  keep (List.map (fun f -> Int64.of_int (f 3)) fs);
  try List.iter (fun f -> if f 1 > 40 then raise (Failure (string_of_int (f 2)))) fs with
  | Failure text -> keep text

let large () =
  for i = 1 to 40 do
    let block = Array.make (200 + (i * 20)) 0. in
    if i land 3 = 0 then keep block
  done;
  keep (Marshal.from_string (Marshal.to_string (List.init 100 string_of_int) []) 0)

let run () =
  for round = 1 to 4 do
    keep (grow (3 + round));
    keep (List.fold_left (fun t _ -> insert (random 1000) t) Leaf (List.init 100 Fun.id));
    Gc.minor ();
    keep (deep (20 * round));
    strings ();
    tables ();
    if round land 1 = 0 then kept := [];
    Gc.minor ();
    closures ();
    large ()
  done;
  kept := [];
  Gc.full_major ()
