let[@inline never] bumped counter n = counter + n

let[@inline never] count n =
  let counter = ref 0 in
  counter := bumped !counter n;
  counter := bumped !counter 1;
  !counter

let () =
  let sum = ref 0 in
  for i = 1 to 100_000 do
    sum := !sum + count i
  done;
  print_int !sum
