(* Messages that are only made where somebody reads them. *)
let level = ref 0

let debug at message = if at <= !level then print_string (Lazy.force message) [@@inline never]

let work n =
  debug 2 (lazy ("work " ^ string_of_int n)); (* here: lazy-values *)
  n * 3

let () =
  let all = ref 0 in
  for i = 1 to 60_000 do
    all := !all + work i
  done;
  print_int !all
