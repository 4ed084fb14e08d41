(* A template is filled by putting texts one behind the other. *)
let fill name count =
  let text =
    List.fold_left
      (fun text line -> text ^ line ^ "\n") (* here: string-append *)
      ""
      (List.init count (fun i -> name ^ ":" ^ string_of_int i))
  in
  String.length text

let () =
  let n = ref 0 in
  for _ = 1 to 5 do
    n := !n + fill "row" 250
  done;
  print_int !n
