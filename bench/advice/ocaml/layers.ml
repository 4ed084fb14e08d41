(* A layer of a net, whose output is a new array. *)
type layer = { weights : float array array; bias : float array }

let forward l input =
  Array.mapi (* also: closures here: scratch-arrays here: array-chain *)
    (fun i row -> (* also: closures *)
      let sum = ref l.bias.(i) in (* here: boxed-floats here: escaping-refs *)
      Array.iteri (fun j w -> sum := !sum +. (w *. input.(j))) row; (* here: closures here: boxed-floats here: float-folds here: escaping-refs *)
      !sum) (* here: float-folds here: boxed-floats *)
    l.weights

let net = List.init 3 (fun k -> { weights = Array.init 8 (fun i -> Array.init 8 (fun j -> float_of_int (i + j + k) /. 50.)); bias = Array.make 8 0.1 }) (* also: float-folds *)

let () =
  let total = ref 0. in
  for t = 1 to 600 do
    let out = List.fold_left (fun x l -> forward l x) (Array.make 8 (float_of_int (t land 3))) net in
    total := !total +. out.(0)
  done;
  Printf.printf "%g\n" !total
