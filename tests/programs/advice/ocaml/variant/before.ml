(* Tokens with arguments, each looked at once. *)
type token = Number of int | Name of int * int | End

let[@inline never] next i =
  if i = 0 then End else if i land 1 = 0 then Number i else Name (i, i + 1) (* here: variants *)

let () =
  let sum = ref 0 in
  for i = 1 to 100_000 do
    match next i with
    | Number n -> sum := !sum + n
    | Name (a, b) -> sum := !sum + a - b
    | End -> ()
  done;
  print_int !sum
