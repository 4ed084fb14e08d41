(* A running mean and variance. *)
type t = { mutable n : int; mutable mean : float; mutable m2 : float }

let empty () = { n = 0; mean = 0.; m2 = 0. }

let add t x =
  t.n <- t.n + 1;
  let delta = x -. t.mean in
  t.mean <- t.mean +. (delta /. float_of_int t.n); (* here: boxed-floats *)
  t.m2 <- t.m2 +. (delta *. (x -. t.mean)) (* here: boxed-floats *)

let variance t = if t.n < 2 then 0. else t.m2 /. float_of_int (t.n - 1)

let () =
  let t = empty () in
  for i = 1 to 50_000 do
    add t (float_of_int (i * 7919 mod 1000)) (* here: boxed-floats *)
  done;
  Printf.printf "%f %f\n" t.mean (variance t)
