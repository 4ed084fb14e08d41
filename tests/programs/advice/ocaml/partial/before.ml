(* A function that is given some of its arguments in each turn of a loop. *)
let[@inline never] clamp low high x = if x < low then low else if x > high then high else x
let[@inline never] apply f x = f x

let () =
  let sum = ref 0 in
  for i = 1 to 100_000 do
    let limit = clamp (i land 7) (i land 63) in (* here: partial-application *)
    sum := !sum + apply limit i
  done;
  print_int !sum
