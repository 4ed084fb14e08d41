(* Names put together with commas, from the last to the first. *)
let names = List.init 150 (fun i -> "name-" ^ string_of_int i)

let rec join = function
  | [] -> ""
  | [ last ] -> last
  | name :: more -> name ^ ", " ^ join more (* here: string-append *)

let () =
  let all = ref 0 in
  for _ = 1 to 30 do
    all := !all + String.length (join names)
  done;
  print_int !all
