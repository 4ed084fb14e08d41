(* States that are copied through Marshal. *)
type state = { name : string; points : int list; mutable turn : int }

let copy (state : state) : state = Marshal.from_string (Marshal.to_string state []) 0 (* here: marshal *)

let () =
  let state = ref { name = "chess"; points = List.init 20 (fun i -> i); turn = 0 } in
  for i = 1 to 5_000 do
    let next = copy !state in
    next.turn <- i;
    state := next
  done;
  print_int !state.turn
