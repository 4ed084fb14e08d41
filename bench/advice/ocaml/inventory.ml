(* Totals by way of several lists. *)
type item = { sku : string; count : int; price : int }

let items = List.init 300 (fun i -> { sku = "s" ^ string_of_int i; count = i mod 9; price = 10 + (i mod 50) })

let value items =
  let stocked = List.filter (fun i -> i.count > 0) items in (* here: list-temporaries here: list-chain *)
  let worth = List.map (fun i -> i.count * i.price) stocked in (* here: list-temporaries here: list-chain *)
  List.fold_left max 0 worth + List.length stocked

let () =
  let n = ref 0 in
  for _ = 1 to 250 do
    n := !n + value items
  done;
  print_int !n
