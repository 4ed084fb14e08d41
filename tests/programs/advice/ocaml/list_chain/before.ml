(* Three passes over a list, two of which make lists that live until the next. *)
let numbers = List.init 1000 (fun i -> i)

let total scale =
  List.fold_left ( + ) 0 (List.filter (fun x -> x land 1 = 0) (List.map (fun x -> x * scale) numbers)) (* here: list-chain *)

let () =
  let sum = ref 0 in
  for i = 1 to 100 do
    sum := !sum + total i
  done;
  print_int !sum
