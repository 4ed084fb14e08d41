let[@inline never] fill n =
  let table = Hashtbl.create (n / 2) in
  for i = 1 to n do
    Hashtbl.replace table i i
  done;
  Hashtbl.length table

let () =
  let sum = ref 0 in
  for _ = 1 to 10 do
    sum := !sum + fill 10_000
  done;
  print_int !sum
