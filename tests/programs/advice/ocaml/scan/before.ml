(* Two numbers of a line, by a format. *)
let[@inline never] parse line = Scanf.sscanf line "%d,%d" (fun a b -> a + b + 0) + 1 (* here: scans *)

let () =
  let sum = ref 0 in
  for i = 1 to 3000 do
    sum := !sum + parse (if i land 1 = 0 then "12,13" else "4,5")
  done;
  print_int !sum
