(* A distance between words, by a row of a table. *)
let least a b c = min a (min b c)

let distance a b =
  let m = String.length a and n = String.length b in
  let previous = ref (Array.init (n + 1) (fun j -> j)) in (* here: scratch-arrays *)
  for i = 1 to m do
    let row = Array.make (n + 1) i in (* here: scratch-arrays *)
    for j = 1 to n do
      let cost = if a.[i - 1] = b.[j - 1] then 0 else 1 in
      row.(j) <- least (row.(j - 1) + 1) (!previous.(j) + 1) (!previous.(j - 1) + cost)
    done;
    previous := row
  done;
  !previous.(n)

let () =
  let d = ref 0 in
  for i = 1 to 3_000 do
    d := !d + distance "kitten on the mat" (if i land 1 = 0 then "sitting on a hat" else "mittens in a vat")
  done;
  print_int !d
