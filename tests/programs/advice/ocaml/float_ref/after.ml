let () =
  let numbers = List.init 1000 float_of_int in
  let total = [| 0. |] in
  for _ = 1 to 100 do
    List.iter (fun x -> total.(0) <- total.(0) +. x) numbers
  done;
  print_float total.(0)
