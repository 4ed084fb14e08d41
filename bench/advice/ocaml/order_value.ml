(* The value of all orders. *)
type order = { price : float; count : float }

let orders = List.init 100 (fun i -> { price = float_of_int i; count = float_of_int (i mod 5) })

let value factor =
  List.fold_left (fun sum o -> sum +. (o.price *. o.count *. factor)) 0. orders (* here: float-folds *)

let () =
  let most = ref 0 in
  for i = 1 to 800 do
    let v = int_of_float (value (1. /. float_of_int i)) in
    if v > !most then most := v
  done;
  print_int !most
