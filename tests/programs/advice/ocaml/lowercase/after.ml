let words = [| "Alpha"; "BETA"; "gamma with more letters"; "Delta" |]

let rec is_same a b i =
  i = String.length a || (Char.lowercase_ascii a.[i] = b.[i] && is_same a b (i + 1))

let () =
  let count = ref 0 in
  for i = 1 to 100_000 do
    let word = words.(i land 3) in
    if String.length word = 4 && is_same word "beta" 0 then incr count
  done;
  print_int !count
