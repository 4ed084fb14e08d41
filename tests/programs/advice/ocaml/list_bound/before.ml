(* A list that has a name, and is walked once. *)
let numbers = List.init 50 (fun i -> i)

let[@inline never] total scale =
  let products = List.map (fun x -> x * scale) numbers in (* here: list-temporaries *)
  let sum = ref 0 in
  let rec add = function [] -> () | x :: rest -> sum := !sum + x; add rest in
  add products;
  !sum

let () =
  let sum = ref 0 in
  for i = 1 to 2000 do
    sum := !sum + total i
  done;
  print_int !sum
