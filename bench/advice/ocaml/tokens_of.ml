(* Words of a sentence, by hand. *)
let words text =
  let rec go from i acc = (* also: closures *)
    if i = String.length text then
      List.rev (if i > from then String.sub text from (i - from) :: acc else acc) (* here: copies also: list-temporaries also: list-chain *)
    else if text.[i] = ' ' then
      go (i + 1) (i + 1) (if i > from then String.sub text from (i - from) :: acc else acc) (* here: copies *)
    else go from (i + 1) acc
  in
  go 0 0 []

let longest text = List.fold_left (fun n w -> if String.length w > n then String.length w else n) 0 (words text) (* also: list-chain *)

let () =
  let n = ref 0 in
  for _ = 1 to 15_000 do
    n := !n + longest "the longest of these words is not the last one"
  done;
  print_int !n
