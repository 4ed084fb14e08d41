(* Nativeints on their way into a list: each is a block besides that of the list. *)
let () =
  let sum = ref 0 in
  for i = 1 to 100 do
    let all = ref [] in
    for k = 1 to 1000 do
      all :=
        Nativeint.of_int (i * k) (* here: boxed-integers *)
        :: !all
    done;
    sum := !sum + List.length !all
  done;
  print_int !sum
