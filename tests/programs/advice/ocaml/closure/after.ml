let rows = Array.init 100 (fun i -> Array.init 10 (fun k -> i + k))

let weigh total scale row =
  for i = 0 to Array.length row - 1 do
    total := !total + (row.(i) * scale)
  done

let () =
  let total = ref 0 in
  for i = 1 to 50_000 do
    weigh total i rows.(i mod 100)
  done;
  print_int !total
