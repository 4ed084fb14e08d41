(* A sequence of three steps: each element costs closures and nodes. *)
let numbers = Array.init 1000 (fun i -> i)

let () =
  let sum = ref 0 in
  for i = 1 to 50 do
    sum := Array.to_seq numbers |> Seq.map (fun x -> x * i) |> Seq.filter (fun x -> x land 1 = 0) |> Seq.fold_left ( + ) !sum (* here: sequences *)
  done;
  print_int !sum
