(* Steps that may fail, each behind `let*`: the rest of the function is a function for each call. *)
let ( let* ) = Option.bind
let half n = if n land 1 = 0 then Some (n / 2) else None [@@inline never] (* also: options *)
let less n = if n > 3 then Some (n - 3) else None [@@inline never] (* also: options *)

let[@inline never] steps n extra =
  let* a = half n in
  let* b = less (a + extra) in (* also: continuations *)
  Some (a + b + extra) (* here: continuations *)

let () =
  let sum = ref 0 in
  for i = 1 to 50_000 do
    match steps (i * 2) i with Some n -> sum := !sum + n | None -> ()
  done;
  print_int !sum
