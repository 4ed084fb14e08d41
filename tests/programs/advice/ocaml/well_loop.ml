(* The same work as in closure.ml and tuple.ml by a loop and local references. *)
let rows = Array.init 1000 (fun i -> Array.init 100 (fun k -> i + k))

let weigh scale row =
  let total = ref 0 and rest = ref 0 in
  for i = 0 to Array.length row - 1 do
    total := !total + (row.(i) * scale / 7);
    rest := !rest + (row.(i) * scale mod 7)
  done;
  !total + !rest

let () =
  let sum = ref 0 in
  for i = 1 to 50_000 do
    sum := !sum + weigh i rows.(i mod 1000)
  done;
  print_int !sum
