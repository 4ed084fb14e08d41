(* Sums the amounts of a ledger by account, in cents. *)
type account = { name : string; mutable balance : int; mutable bookings : int }

let accounts = Array.init 20 (fun i -> { name = Printf.sprintf "account %d" i; balance = 0; bookings = 0 })

let book account cents =
  account.balance <- account.balance + cents;
  account.bookings <- account.bookings + 1

let () =
  for i = 0 to 199_999 do
    book accounts.(i mod 20) ((i * 7919 mod 10_000) - 4_000)
  done;
  Array.iter (fun a -> Printf.printf "%s: %d in %d\n" a.name a.balance a.bookings) accounts
