(* Words made lower case to be compared. *)
let words = [| "Alpha"; "BETA"; "gamma with more letters"; "Delta" |]

let () =
  let count = ref 0 in
  for i = 1 to 100_000 do
    if String.lowercase_ascii words.(i land 3) = "beta" then incr count (* here: copies *)
  done;
  print_int !count
