(* Names are cleaned before they are counted. *)
module Clean = struct
  let name raw =
    raw |> String.trim |> String.lowercase_ascii (* here: copies *)
end

let raw = [| "  Alice "; "BOB"; " Carol" |]

let () =
  let n = ref 0 in
  for i = 1 to 50_000 do
    if String.equal (Clean.name raw.(i mod 3)) "alice" then incr n (* here: copies *)
  done;
  print_int !n
