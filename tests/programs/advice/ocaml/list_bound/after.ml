let numbers = List.init 50 (fun i -> i)
let[@inline never] total scale = List.fold_left (fun sum x -> sum + (x * scale)) 0 numbers

let () =
  let sum = ref 0 in
  for i = 1 to 2000 do
    sum := !sum + total i
  done;
  print_int !sum
