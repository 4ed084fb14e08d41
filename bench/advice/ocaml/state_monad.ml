(* Steps that pass a counter on, as functions. *)
let return x = fun s -> (x, s) (* here: tuples *)
let bind m f = fun s -> let x, s' = m s in f x s' [@@inline never]
let ( let* ) = bind
let tick = fun s -> (s, s + 1) (* here: tuples *)

let three =
 fun s ->
  (let* a = tick in (* here: closures here: continuations here: partial-application *)
   let* b = tick in (* here: closures here: continuations here: partial-application *)
   let* c = tick in (* here: closures here: continuations here: partial-application *)
   return (a + b + c)) (* here: continuations here: closures here: partial-application *)
    s

let () =
  let n = ref 0 in
  for i = 1 to 40_000 do
    let sum, _ = three i in
    n := !n + sum
  done;
  print_int !n
