(* A polynomial by Horner's rule, over a list of coefficients. *)
let coefficients = [ 0.5; -1.25; 3.; 0.125; 2. ]

let at x =
  List.fold_left
    (fun acc c -> (acc *. x) +. c) (* here: float-folds *) (* also: closures *)
    0. coefficients
[@@inline never]

let () =
  let total = ref 0. in
  for i = 1 to 25_000 do
    total := !total +. at (float_of_int (i land 7) /. 8.) (* also: boxed-floats *)
  done;
  Printf.printf "%g\n" !total
