(* A journal, to which entries are added at the end. *)
type entry = { day : int; text : string }

type journal = { mutable entries : entry list }

let note journal day text = journal.entries <- journal.entries @ [ { day; text } ] (* here: list-append *)

let () =
  let journal = { entries = [] } in
  for day = 1 to 700 do
    note journal day "rain"
  done;
  print_int (List.length journal.entries)
