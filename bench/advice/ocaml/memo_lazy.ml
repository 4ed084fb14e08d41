(* A table of values that are worked out when they are asked for. *)
let table n = Array.init n (fun i -> lazy (i * i)) (* here: lazy-values here: scratch-arrays *)

let () =
  let n = ref 0 in
  for k = 1 to 3_000 do
    let t = table 16 in (* here: scratch-arrays *)
    n := !n + Lazy.force t.(k land 15)
  done;
  print_int !n
