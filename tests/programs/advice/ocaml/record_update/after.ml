type state = { mutable count : int; mutable sum : int; last : int; name : string }

let[@inline never] step state i =
  state.count <- state.count + 1;
  state.sum <- state.sum + i

let () =
  let state = { count = 0; sum = 0; last = 0; name = "state" } in
  for i = 1 to 100_000 do
    step state i
  done;
  Printf.printf "%d %d %d %s\n" state.count state.sum state.last state.name
