(* A checksum that is kept in a record: each step stores an int64, which is a block of its own. *)
type state = { mutable count : int; mutable sum : int64 }

let step state byte =
  state.count <- state.count + 1;
  state.sum <- Int64.add (Int64.mul state.sum 31L) (Int64.of_int byte) (* here: boxed-integers *)

let () =
  let state = { count = 0; sum = 7L } in
  for i = 1 to 100_000 do
    step state (i land 255)
  done;
  Printf.printf "%Ld %d\n" state.sum state.count
