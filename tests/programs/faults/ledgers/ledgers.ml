(* Entries of accounts, collected by day. *)
type entry = { account : int; cents : int }

let entries day = List.init 200 (fun i -> { account = (i * 7 + day) mod 40; cents = (i * 13) mod 1000 })

let by_account day =
  let table = Hashtbl.create 64 in
  List.iter
    (fun e ->
      let before = try Hashtbl.find table e.account with Not_found -> 0 in
      Hashtbl.replace table e.account (before + e.cents))
    (entries day);
  table

let history days =
  let rec go day all =
    if day = days then all
    else
      let today = by_account day in
      let lines = Hashtbl.fold (fun account cents rest -> (account, cents) :: rest) today [] in
      go (day + 1) (all @ lines)
  in
  go 0 []

let () =
  let all = history 150 in
  Printf.printf "%d lines, %d cents\n" (List.length all) (List.fold_left (fun sum (_, cents) -> sum + cents) 0 all)
