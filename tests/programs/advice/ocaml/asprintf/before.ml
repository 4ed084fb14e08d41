(* Texts put together by Format. *)
let () =
  let size = ref 0 in
  for i = 1 to 2_000 do
    let text = Format.asprintf "%d,%d" i (i * 2) in (* here: formats *)
    size := !size + String.length text
  done;
  print_int !size
