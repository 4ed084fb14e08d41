(* Words by a regular expression: lists and copies for each line. *)
let line = "the quick brown fox jumps over the lazy dog and then some more words"
let blanks = Str.regexp " +"

let () =
  let count = ref 0 in
  for _ = 1 to 2000 do
    count := !count + List.length (Str.split blanks line) (* here: splits *)
  done;
  print_int !count
