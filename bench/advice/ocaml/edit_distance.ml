(* The edit distance of two words, in a matrix for each pair. *)
let distance a b =
  let m = String.length a and n = String.length b in
  let d = Array.init (m + 1) (fun i -> Array.init (n + 1) (fun j -> if i = 0 then j else if j = 0 then i else 0)) in (* here: scratch-arrays also: closures *)
  for i = 1 to m do
    for j = 1 to n do
      let cost = if a.[i - 1] = b.[j - 1] then 0 else 1 in
      d.(i).(j) <- min (min (d.(i - 1).(j) + 1) (d.(i).(j - 1) + 1)) (d.(i - 1).(j - 1) + cost)
    done
  done;
  d.(m).(n)

let () =
  let all = ref 0 in
  for _ = 1 to 1_500 do
    all := !all + distance "saturdays" "sundays" + distance "kitten" "sitting"
  done;
  print_int !all
