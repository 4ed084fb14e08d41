let numbers = List.init 1000 (fun i -> i)

let () =
  let sum = ref 0 in
  for i = 1 to 100 do
    let all = List.rev_map (fun x -> x * i) numbers in
    sum := !sum + List.hd all
  done;
  print_int !sum
