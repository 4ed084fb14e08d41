(* The places of a competition: those with points, the best first. *)
let players = List.init 300 (fun i -> i * 7919 mod 1_000)

let best factor =
  let points = List.rev (List.map (fun p -> p * factor) players) in (* here: list-chain also: list-temporaries *)
  match points with [] -> 0 | first :: _ -> first

let () =
  let sum = ref 0 in
  for i = 1 to 300 do
    sum := !sum + best i
  done;
  print_int !sum
