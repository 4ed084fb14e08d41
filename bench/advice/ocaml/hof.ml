(* Rules are composed of smaller ones, for each record anew. *)
let both p q x = p x && q x [@@inline never]
let above n x = x > n [@@inline never]
let below n x = x < n [@@inline never]

let holds p xs = Array.exists p xs [@@inline never]

let data = [| 4; 18; 25; 33 |]

let () =
  let hits = ref 0 in
  for i = 1 to 40_000 do
    let low = i land 15 in
    if holds (both (above low) (below (low + 6))) data then incr hits (* here: partial-application *)
  done;
  print_int !hits
