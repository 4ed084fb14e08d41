(* A random number generator in machine words. *)
let rotate x k =
  if k <= 0 || k > 63 then invalid_arg "rotate";
  Nativeint.logor (Nativeint.shift_left x k) (Nativeint.shift_right_logical x (64 - k)) (* here: boxed-integers *)
[@@inline never]

let () =
  let state = ref 88172645463325252n and odd = ref 0 in
  for i = 1 to 80_000 do
    state := Nativeint.add (rotate !state 13) (Nativeint.of_int i); (* also: boxed-integers *)
    if Nativeint.logand !state 1n = 1n then incr odd
  done;
  print_int !odd
