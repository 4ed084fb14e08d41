(* Checks, one after the other, of what a form has. *)
let positive n = if n < 0 then Error "negative" else Ok n (* here: options *)
let below limit n = if n >= limit then Error "too large" else Ok n (* here: options *)

let checked n = match positive n with Ok n -> below 150 n | Error _ as e -> e [@@inline never]

let () =
  let good = ref 0 in
  for i = 1 to 60_000 do
    match checked ((i mod 200) - 10) with Ok n -> good := !good + n | Error _ -> ()
  done;
  print_int !good
