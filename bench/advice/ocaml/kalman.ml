(* A filter over noisy numbers; its state has a name. *)
type filter = { label : string; mutable estimate : float; mutable error : float; noise : float }

let create ~label ~noise = { label; estimate = 0.; error = 1.; noise }

let update f measured =
  let gain = f.error /. (f.error +. f.noise) in
  f.estimate <- f.estimate +. (gain *. (measured -. f.estimate)); (* here: boxed-floats *)
  f.error <-
    (1. -. gain) *. f.error +. 0.001 (* here: boxed-floats *)
[@@inline never]

let () =
  let f = create ~label:"room" ~noise:0.5 in
  for i = 1 to 60_000 do
    update f (float_of_int (i mod 13)) (* here: boxed-floats *)
  done;
  Printf.printf "%s %.3f\n" f.label f.estimate
