(* Numbers read from a text, at a position that the readers share. *)
let text = "12 345 6 78 90123 4"

let skip_spaces at =
  while !at < String.length text && text.[!at] = ' ' do
    incr at
  done
[@@inline never]

let read_number at =
  let n = ref 0 in
  while !at < String.length text && text.[!at] <> ' ' do
    n := (!n * 10) + Char.code text.[!at] - 48;
    incr at
  done;
  !n
[@@inline never]

let sum () =
  let at = ref 0 and sum = ref 0 in (* here: escaping-refs *)
  while !at < String.length text do
    skip_spaces at;
    sum := !sum + read_number at
  done;
  !sum

let () =
  let all = ref 0 in
  for _ = 1 to 60_000 do
    all := !all + sum ()
  done;
  print_int !all
