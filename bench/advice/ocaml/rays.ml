(* Light on a plane: vectors of three floats. *)
let add (a, b, c) (d, e, f) = (a +. d, b +. e, c +. f) (* also: tuples *) (* also: boxed-floats *) (* also: float-returned *)
let scale k (a, b, c) = (k *. a, k *. b, k *. c) (* here: boxed-floats *) (* also: tuples *) (* also: float-returned *)
let dot (a, b, c) (d, e, f) = (a *. d) +. (b *. e) +. (c *. f) (* also: boxed-floats *) (* also: float-returned *)

let () =
  let light = (0.3, 0.5, 0.8) and sum = ref 0.0 in
  for i = 0 to 60000 do
    let x = float_of_int i in (* also: boxed-floats *)
    let point = add (scale x (1.0, 0.0, 2.0)) (scale 0.5 light) in (* also: tuples *)
    if dot point light > 10.0 then sum := !sum +. 1.0
  done;
  print_float !sum
