(* The least and the largest of each window of a series. *)
let series = Array.init 2_000 (fun i -> (i * 7919) mod 10_007)

let bounds from size =
  let least = ref max_int and largest = ref min_int in
  for i = from to from + size - 1 do
    if series.(i) < !least then least := series.(i);
    if series.(i) > !largest then largest := series.(i)
  done;
  (!least, !largest) (* here: tuples *)

let () =
  let widest = ref 0 in
  for _ = 1 to 30 do
    for i = 0 to 1_990 do
      let least, largest = bounds i 5 in
      widest := max !widest (largest - least)
    done
  done;
  print_int !widest
