(* Words counted, in a table that begins small. *)
let words = Array.init 3_000 (fun i -> string_of_int (i * 7919 mod 3_001))

let differing words =
  let table = Hashtbl.create 8 in
  Array.iter (fun w -> Hashtbl.replace table w true) words; (* here: hashtbl-growth *)
  Hashtbl.length table

let () =
  let all = ref 0 in
  for _ = 1 to 20 do
    all := !all + differing words
  done;
  print_int !all
