(* A text that is made line by line: each step copies all of it. *)
let lines n =
  let text = ref "" in
  for i = 1 to n do
    text := !text ^ (if i land 1 = 0 then "even\n" else "odd\n") (* here: string-append *)
  done;
  !text

let () = print_int (String.length (lines 2000))
