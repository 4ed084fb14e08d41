type t =
  { rand : Random.State.t
  ; scale : float  (** -1 / log(1 - rate): 0 at rate 1 *)
  }

let default_rand () = Random.State.make [| 0x68656170; 0x74617030 |]

let make ?(rand = default_rand ()) ~sampling_rate () =
  { rand; scale = -1. /. Float.log1p (-.sampling_rate) }

let copy ?(rand = default_rand ()) t = { t with rand }

(* For U uniform in (0, 1), -log U is exponential, and its floor after scaling
   is geometric.  OCaml's own sampler has the same law; src/tap/engine/sampler.c
   says more. *)
let draw t =
  let uniform = (float_of_int (Random.State.bits t.rand) +. 0.5) *. 0x1p-30 in
  let gap = -.Float.log uniform *. t.scale in
  if gap >= 0x1p61 then max_int else 1 + int_of_float gap
