(* A sum and a count in one fold. *)
let marks = List.init 200 (fun i -> i mod 7)

let average marks =
  let sum, count = List.fold_left (fun (sum, count) mark -> (sum + mark, count + 1)) (0, 0) marks in (* here: tuples *)
  if count = 0 then 0 else sum / count

let () =
  let all = ref 0 in
  for _ = 1 to 500 do
    all := !all + average marks
  done;
  print_int !all
