(* Faults that are less than 5 % of all bytes are not worth advice. *)
let text n =
  let text = ref "" in
  for i = 1 to n do
    text := !text ^ string_of_int i
  done;
  !text

let () =
  let sum = ref (String.length (text 60)) in
  for i = 1 to 200 do
    sum := !sum + Bytes.length (Bytes.create (1000 + i))
  done;
  print_int !sum
