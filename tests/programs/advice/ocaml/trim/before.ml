(* Fields that are cut out and trimmed to be compared: two copies each. *)
let line = "  alpha  ,  beta                      ,  gamma   "

let[@inline never] is_beta line from size = String.trim (String.sub line from size) = "beta" (* here: copies *)

let () =
  let count = ref 0 in
  for i = 1 to 50_000 do
    if is_beta line (10 + (i land 1)) 26 then incr count
  done;
  print_int !count
