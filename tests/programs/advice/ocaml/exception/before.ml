(* A search that returns what it has found by an exception with arguments. *)
exception Found of int * int

let[@inline never] search i =
  for k = 0 to 9 do
    if k = i mod 10 then raise_notrace (Found (k, i)) (* here: exceptions *)
  done

let () =
  let sum = ref 0 in
  for i = 1 to 50_000 do
    try search i with Found (k, n) -> sum := !sum + k + n
  done;
  print_int !sum
