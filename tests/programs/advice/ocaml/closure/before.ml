(* A function that is made again for each row, as it needs the row. *)
let rows = Array.init 100 (fun i -> Array.init 10 (fun k -> i + k))

let weigh total scale row =
  Array.iter (fun x -> total := !total + x * scale) row (* here: closures *)

let () =
  let total = ref 0 in
  for i = 1 to 50_000 do
    weigh total i rows.(i mod 100)
  done;
  print_int !total
