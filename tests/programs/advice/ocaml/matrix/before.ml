(* A matrix for each product. *)
let size = 20

let[@inline never] product a b =
  let c = Array.make_matrix size size 0. in (* here: scratch-arrays *)
  for i = 0 to size - 1 do
    for j = 0 to size - 1 do
      for k = 0 to size - 1 do
        c.(i).(j) <- c.(i).(j) +. (a.(i).(k) *. b.(k).(j))
      done
    done
  done;
  c.(0).(0) > 0.

let () =
  let a = Array.make_matrix size size 1. in
  let count = ref 0 in
  for _ = 1 to 500 do
    if product a a then incr count
  done;
  print_int !count
