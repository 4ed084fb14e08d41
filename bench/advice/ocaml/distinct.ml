(* How many of a few numbers differ, by a set of integers that is made where it is used. *)
let distinct numbers =
  let module Numbers = Set.Make (Int) in (* here: functor-applications *)
  Numbers.cardinal (List.fold_left (fun set n -> Numbers.add n set) Numbers.empty numbers)

let () =
  let all = ref 0 in
  for i = 1 to 4_000 do
    all := !all + distinct [ i; i mod 3; i mod 5 ]
  done;
  print_int !all
