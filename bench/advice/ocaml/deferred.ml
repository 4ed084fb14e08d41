(* Messages that are made only where somebody listens. *)
let level = ref 1
let written = ref 0
let log severity message = if severity >= !level then written := !written + String.length (message ())

let handle request user =
  log 0 (fun () -> user ^ " asks for " ^ request); (* here: closures *)
  String.length request + String.length user

let () =
  let sum = ref 0 in
  for i = 0 to 60000 do
    sum := !sum + handle (if i land 1 = 0 then "index" else "page") "somebody"
  done;
  print_int (!sum + !written)
