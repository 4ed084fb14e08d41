(* Who may do what, as a list that is searched. *)
type right = Read | Write | Admin of int

let rights user =
  let base = [ Read ] in
  if user mod 3 = 0 then Write :: base else if user mod 7 = 0 then Admin user :: base else base (* also: variants *)
[@@inline never]

let may user wanted = List.mem wanted (rights user)

let () =
  let n = ref 0 in
  for user = 1 to 150_000 do
    if may user Write then incr n
  done;
  print_int !n
