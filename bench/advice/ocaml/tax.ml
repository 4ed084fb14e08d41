(* Amounts taxed by brackets, through an optional rate. *)
let rate amount =
  if amount < 10 then None
  else if amount < 100 then Some 5 (* nothing: a constant *)
  else Some (amount / 20) (* here: options *)
[@@inline never]

let tax amount = Option.value (Option.map (fun r -> amount * r / 100) (rate amount)) ~default:0 (* here: options here: closures *)

let () =
  let n = ref 0 in
  for i = 1 to 100_000 do
    n := !n + tax (100 + (i mod 300))
  done;
  print_int !n
