(* Entries of an account, with balances of 64 bits. *)
type entry = { mutable balance : int64; mutable entries : int }

module Ledger = struct
  let post e amount =
    e.balance <- Int64.add e.balance (Int64.of_int amount); (* here: boxed-integers *)
    e.entries <- e.entries + 1
end

let () =
  let e = { balance = 0L; entries = 0 } in
  for i = 1 to 100_000 do
    Ledger.post e (i - 50_000)
  done;
  Printf.printf "%Ld %d\n" e.balance e.entries
