let line = String.concat "," (List.init 100 string_of_int)

let[@inline never] total line =
  let sum = ref 0 and start = ref 0 in
  for i = 0 to String.length line - 1 do
    if line.[i] = ',' then begin
      sum := !sum + (i - !start);
      start := i + 1
    end
  done;
  !sum + (String.length line - !start)

let () =
  let sum = ref 0 in
  for _ = 1 to 1000 do
    sum := !sum + total line
  done;
  print_int !sum
