(* A chain over several lines. *)
let numbers = List.init 1000 (fun i -> i)

let total scale =
  numbers
  |> List.map (fun x -> x * scale) (* here: list-chain *)
  |> List.filter (fun x -> x mod 4 = 0)
  |> List.map (fun x -> x + 1)
  |> List.fold_left ( + ) 0

let () =
  let sum = ref 0 in
  for i = 1 to 100 do
    sum := !sum + total i
  done;
  print_int !sum
