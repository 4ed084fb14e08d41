(* Interest on accounts. *)
type account = { owner : string; mutable balance : float }

let accounts = Array.init 200 (fun i -> { owner = "owner " ^ string_of_int i; balance = 100.0 +. float_of_int i })

let pay_interest account =
  account.balance <- account.balance *. 1.0001 (* here: boxed-floats *)

let () =
  for _ = 1 to 500 do
    Array.iter pay_interest accounts
  done;
  print_string (accounts.(0).owner ^ " " ^ string_of_float accounts.(0).balance)
