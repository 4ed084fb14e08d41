(* Events are added to the end of a list in a record. *)
type log = { mutable events : string list; mutable size : int }

let add log event =
  log.events <- log.events @ [ event ]; (* here: list-append *)
  log.size <- log.size + 1

let () =
  let total = ref 0 in
  for _ = 1 to 8 do
    let log = { events = []; size = 0 } in
    for i = 1 to 250 do
      add log (if i land 1 = 0 then "tick" else "tock")
    done;
    total := !total + log.size + List.length log.events
  done;
  print_int !total
