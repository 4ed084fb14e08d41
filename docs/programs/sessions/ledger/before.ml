(* Sums the amounts of a ledger by account, in cents. *)
type account = { name : string; mutable balance : int64; mutable bookings : int }

let accounts = Array.init 20 (fun i -> { name = Printf.sprintf "account %d" i; balance = 0L; bookings = 0 })

let book account cents =
  account.balance <- Int64.add account.balance (Int64.of_int cents);
  account.bookings <- account.bookings + 1

let () =
  for i = 0 to 199_999 do
    book accounts.(i mod 20) ((i * 7919 mod 10_000) - 4_000)
  done;
  Array.iter (fun a -> Printf.printf "%s: %Ld in %d\n" a.name a.balance a.bookings) accounts
