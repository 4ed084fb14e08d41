(* A median needs the window in order. *)
let signal = Array.init 600 (fun i -> (i * 7919) mod 1009)

let median at width =
  let window = Array.sub signal at width in (* here: copies *)
  Array.sort Int.compare window;
  window.(width / 2)

let () =
  let n = ref 0 in
  for turn = 1 to 50 do
    for at = 0 to 580 do
      n := !n + median at (9 + (turn land 1))
    done
  done;
  print_int !n
