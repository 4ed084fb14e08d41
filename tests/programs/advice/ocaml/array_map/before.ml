(* An array that is mapped to be summed up. *)
let numbers = Array.init 1000 (fun i -> i)

let () =
  let sum = ref 0 in
  for i = 1 to 500 do
    sum := !sum + Array.fold_left ( + ) 0 (Array.map (fun x -> x * i) numbers) (* here: array-chain *)
  done;
  print_int !sum
