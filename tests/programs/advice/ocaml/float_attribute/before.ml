(* A float that a function returns, whose attribute stands behind it. *)
let fraction seconds = float_of_int seconds /. 86_400. [@@inline never] (* here: float-returned *)

let () =
  let late = ref 0 in
  for i = 1 to 100_000 do
    if fraction (i mod 86_400) > 0.5 then incr late
  done;
  print_int !late
