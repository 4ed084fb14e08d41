(* A state that is copied to change one field. *)
type state = { count : int; sum : int; last : int; name : string }

let[@inline never] step state i = { state with count = state.count + 1; sum = state.sum + i } (* here: record-copies *)

let () =
  let state = ref { count = 0; sum = 0; last = 0; name = "state" } in
  for i = 1 to 100_000 do
    state := step !state i
  done;
  Printf.printf "%d %d %d %s\n" !state.count !state.sum !state.last !state.name
