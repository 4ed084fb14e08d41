(* A name is cut in two at its dot. *)
let cut name =
  match String.index_opt name '.' with (* also: options *)
  | None -> (name, "") (* also: tuples *)
  | Some i -> (String.sub name 0 i, String.sub name (i + 1) (String.length name - i - 1)) (* here: copies here: tuples *)

let files = [| "main.ml"; "README"; "archive.tar" |]

let () =
  let n = ref 0 in
  for i = 1 to 40_000 do
    let base, ext = cut files.(i mod 3) in
    n := !n + String.length base - String.length ext
  done;
  print_int !n
