(* An array that grows by one: each step copies all of it. *)
let () =
  let all = ref [||] in
  for i = 1 to 1000 do
    all := Array.append !all [| i |] (* here: array-append *)
  done;
  print_int (Array.fold_left ( + ) 0 !all)
