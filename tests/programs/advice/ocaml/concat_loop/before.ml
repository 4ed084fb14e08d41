(* A text that is concatenated with each part anew. *)
let lines n =
  let text = ref "" in
  for i = 1 to n do
    text := String.concat "\n" [ !text; (if i land 1 = 0 then "even" else "odd") ] (* here: string-append *)
  done;
  !text

let () = print_int (String.length (lines 2000))
