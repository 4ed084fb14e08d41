let text = "1 2 3 4 5 6 7 8 x 9"

let[@inline never] digit i =
  match text.[i] with
  | '0' .. '9' as c -> Char.code c - 48
  | _ -> -1

let () =
  let sum = ref 0 in
  for i = 1 to 200_000 do
    let n = digit (i mod String.length text) in
    if n >= 0 then sum := !sum + n
  done;
  print_int !sum
