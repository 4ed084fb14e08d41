let rec search i k = if k > 9 then -1 else if k = i mod 10 then k else search i (k + 1)

let () =
  let sum = ref 0 in
  for i = 1 to 50_000 do
    let k = search i 0 in
    if k >= 0 then sum := !sum + k + i
  done;
  print_int !sum
