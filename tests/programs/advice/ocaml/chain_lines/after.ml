let numbers = List.init 1000 (fun i -> i)

let total scale =
  numbers
  |> List.fold_left
       (fun sum x ->
         let x = x * scale in
         if x mod 4 = 0 then sum + x + 1 else sum)
       0

let () =
  let sum = ref 0 in
  for i = 1 to 100 do
    sum := !sum + total i
  done;
  print_int !sum
