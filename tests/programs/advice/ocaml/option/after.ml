let table = Array.init 64 (fun i -> i * 3)
let[@inline never] find i = if i land 63 = 63 then -1 else table.(i land 63)

let () =
  let sum = ref 0 in
  for i = 1 to 100_000 do
    let x = find i in
    if x >= 0 then sum := !sum + x
  done;
  print_int !sum
