(* A value that is delayed, and always forced. *)
let[@inline never] choose n default = if n land 1 = 0 then n else Lazy.force default

let () =
  let sum = ref 0 in
  for i = 1 to 100_000 do
    sum := !sum + choose i (lazy (i * 3)) (* here: lazy-values *)
  done;
  print_int !sum
