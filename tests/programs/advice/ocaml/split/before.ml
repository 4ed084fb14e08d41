(* Numbers between commas, by a list of copies. *)
let line = String.concat "," (List.init 100 string_of_int)

let[@inline never] total line =
  let parts = String.split_on_char ',' line in (* here: splits *)
  let sum = ref 0 in
  List.iter (fun part -> sum := !sum + String.length part) parts;
  !sum

let () =
  let sum = ref 0 in
  for _ = 1 to 1000 do
    sum := !sum + total line
  done;
  print_int !sum
