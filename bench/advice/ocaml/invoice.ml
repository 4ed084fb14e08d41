(* What customers of one country have to pay. *)
type customer = { country : int; cents : int; is_active : bool }

let customers = List.init 500 (fun i -> { country = i mod 3; cents = i * 17; is_active = i mod 4 > 0 })

let due country =
  customers
  |> List.filter (fun c -> c.is_active) (* here: list-chain *)
  |> List.filter (fun c -> c.country = country) (* here: list-chain *)
  |> List.map (fun c -> c.cents) (* here: list-chain *)
  |> List.fold_left ( + ) 0

let () =
  let all = ref 0 in
  for i = 1 to 300 do
    all := !all + due (i mod 3)
  done;
  print_int !all
