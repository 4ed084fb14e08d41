let numbers = Array.init 1000 (fun i -> i)

let () =
  let sum = ref 0 in
  for i = 1 to 500 do
    sum := Array.fold_left (fun sum x -> sum + (x * i)) !sum numbers
  done;
  print_int !sum
