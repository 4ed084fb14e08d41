(* A list that grows at its end: each step copies all of it. *)
let collect n =
  let all = ref [] in
  for i = 1 to n do
    all := !all @ [ i ] (* here: list-append *)
  done;
  !all

let () = print_int (List.length (collect 600))
