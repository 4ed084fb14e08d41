(* Times of day as seconds, scaled to fractions by a helper. *)
let fraction seconds = float_of_int seconds /. 86_400. [@@inline never] (* here: float-returned *)

let () =
  let noon = ref 0 in
  for i = 1 to 100_000 do
    if fraction (i mod 86_400) > 0.5 then incr noon
  done;
  print_int !noon
