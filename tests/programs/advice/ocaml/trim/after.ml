let line = "  alpha  ,  beta                      ,  gamma   "

let rec is_at line from word i =
  i = String.length word || (line.[from + i] = word.[i] && is_at line from word (i + 1))

let rec skip line from = if line.[from] = ' ' then skip line (from + 1) else from

let[@inline never] is_beta line from =
  let start = skip line from in
  is_at line start "beta" 0 && line.[start + 4] = ' '

let () =
  let count = ref 0 in
  for i = 1 to 50_000 do
    if is_beta line (10 + (i land 1)) then incr count
  done;
  print_int !count
