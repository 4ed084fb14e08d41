let rec number line i n =
  if i = String.length line then n
  else match line.[i] with '0' .. '9' as c -> number line (i + 1) ((n * 10) + Char.code c - 48) | _ -> n

let[@inline never] parse line = number line 0 0 + number line (String.index line ',' + 1) 0 + 1

let () =
  let sum = ref 0 in
  for i = 1 to 3000 do
    sum := !sum + parse (if i land 1 = 0 then "12,13" else "4,5")
  done;
  print_int !sum
