type state = { mutable count : int; mutable sum : int }

let step state byte =
  state.count <- state.count + 1;
  state.sum <- (state.sum * 31) + byte

let () =
  let state = { count = 0; sum = 7 } in
  for i = 1 to 100_000 do
    step state (i land 255)
  done;
  Printf.printf "%d %d\n" state.sum state.count
