(* A growing array. *)
type 'a stack = { mutable items : 'a array }

let push stack x = stack.items <- Array.append stack.items [| x |] (* here: array-append *)

let () =
  let stack = { items = [||] } in
  for i = 1 to 900 do
    push stack i
  done;
  print_int (Array.length stack.items)
