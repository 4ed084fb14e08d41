let size = 20

let[@inline never] product c a b =
  for i = 0 to size - 1 do
    Array.fill c.(i) 0 size 0.;
    for j = 0 to size - 1 do
      for k = 0 to size - 1 do
        c.(i).(j) <- c.(i).(j) +. (a.(i).(k) *. b.(k).(j))
      done
    done
  done;
  c.(0).(0) > 0.

let () =
  let a = Array.make_matrix size size 1. in
  let c = Array.make_matrix size size 0. in
  let count = ref 0 in
  for _ = 1 to 500 do
    if product c a a then incr count
  done;
  print_int !count
