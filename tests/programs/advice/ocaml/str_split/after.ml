let line = "the quick brown fox jumps over the lazy dog and then some more words"

let words line =
  let count = ref 1 in
  for i = 0 to String.length line - 1 do
    if line.[i] = ' ' then incr count
  done;
  !count

let () =
  let count = ref 0 in
  for _ = 1 to 2000 do
    count := !count + words line
  done;
  print_int !count
