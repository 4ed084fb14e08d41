(* An array made into a list to be folded. *)
let numbers = Array.init 1000 (fun i -> i)

let () =
  let sum = ref 0 in
  for i = 1 to 100 do
    sum := List.fold_left (fun sum x -> sum + (x * i)) !sum (Array.to_list numbers) (* here: conversions *)
  done;
  print_int !sum
