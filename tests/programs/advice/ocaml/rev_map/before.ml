(* A list that is turned after it has been mapped: two lists for one. *)
let numbers = List.init 1000 (fun i -> i)

let () =
  let sum = ref 0 in
  for i = 1 to 100 do
    let all = List.rev (List.map (fun x -> x * i) numbers) in (* here: list-chain *)
    sum := !sum + List.hd all
  done;
  print_int !sum
