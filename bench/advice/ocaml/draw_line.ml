(* Lines of text with a width and a filling that may be left out. *)
let line ?width ?fill indent =
  let width = Option.value width ~default:80 and fill = Option.value fill ~default:'-' in
  if fill = ' ' then 0 else if indent > width then invalid_arg "line" else width - indent

let () =
  let all = ref 0 in
  for i = 1 to 60_000 do
    all := !all + line ~width:(40 + (i mod 40)) ~fill:'=' (i mod 7) (* here: optional-arguments *)
  done;
  print_int !all
