(* The FNV hash of many words, 64 bits wide. *)
let words = Array.init 500 (fun i -> "word" ^ string_of_int (i * i))

let hash word =
  let h = ref 0xcbf29ce484222325L in (* also: escaping-refs *)
  String.iter
    (fun c -> h := Int64.mul (Int64.logxor !h (Int64.of_int (Char.code c))) 0x100000001b3L) (* here: boxed-integers also: closures *)
    word;
  !h

let () =
  let odd = ref 0 in
  for _ = 1 to 20 do
    Array.iter (fun w -> if Int64.rem (hash w) 2L <> 0L then incr odd) words
  done;
  print_int !odd
