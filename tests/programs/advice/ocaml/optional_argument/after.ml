let scale ~factor n = n * factor
let[@inline never] apply (f : factor:int -> int -> int) i = f ~factor:i 3

let () =
  let sum = ref 0 in
  for i = 1 to 100_000 do
    sum := !sum + apply scale i
  done;
  print_int !sum
