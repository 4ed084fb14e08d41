(* How many friends two people share. *)
let friends = Array.init 60 (fun i -> List.init 12 (fun j -> (i * j) mod 61))

let shared a b =
  let count = ref 0 in
  List.iter (fun f -> if List.exists (fun g -> g = f) friends.(b) then incr count) friends.(a); (* here: closures *)
  !count

let () =
  let all = ref 0 in
  for a = 0 to 59 do
    for b = 0 to 59 do
      all := !all + shared a b
    done
  done;
  print_int !all
