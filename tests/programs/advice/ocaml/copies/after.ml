let line = String.concat "," (List.init 50 (fun i -> string_of_int (i * 1000)))

let () =
  let sum = ref 0 in
  for i = 0 to 99_999 do
    sum := !sum + Char.code line.[i mod 100]
  done;
  print_int !sum
