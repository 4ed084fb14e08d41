(* Pixels made brighter, and kept between 0 and 1. *)
let pixels = Float.Array.init 1_000 (fun i -> float_of_int i /. 1_000.)

let brighten gain =
  for i = 0 to Float.Array.length pixels - 1 do
    let v = Float.Array.get pixels i in
    Float.Array.set pixels i (min 1. (max 0. (v *. gain))) (* here: polymorphic-comparison *)
  done

let () =
  for turn = 1 to 60 do
    brighten (if turn mod 2 = 0 then 1.25 else 0.8)
  done;
  Printf.printf "%f\n" (Float.Array.get pixels 500)
