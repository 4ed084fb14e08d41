(* Is a temperature of the week below zero? *)
let week = [| 3; 4; 1; -2; 0; 5; 6 |]

let has_frost week = List.exists (fun t -> t < 0) (Array.to_list week) (* here: conversions *)

let () =
  let days = ref 0 in
  for i = 1 to 20_000 do
    week.(i mod 7) <- (i mod 11) - 1;
    if has_frost week then incr days
  done;
  print_int !days
