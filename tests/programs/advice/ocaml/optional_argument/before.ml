(* An optional argument of a function that is not known where it is called: each call puts it into an option. *)
let scale ?(factor = 1) n = n * factor
let[@inline never] apply (f : ?factor:int -> int -> int) i = f ~factor:i 3 (* here: optional-arguments *)

let () =
  let sum = ref 0 in
  for i = 1 to 100_000 do
    sum := !sum + apply scale i
  done;
  print_int !sum
