let largest numbers scale =
  let best = ref 0. in
  for i = 0 to Array.length numbers - 1 do
    let x = numbers.(i) *. scale in
    if x > !best then best := x
  done;
  !best

let () =
  let numbers = Array.init 1000 float_of_int in
  let sum = ref 0. in
  for i = 1 to 100 do
    sum := !sum +. largest numbers (float_of_int i)
  done;
  print_float !sum
