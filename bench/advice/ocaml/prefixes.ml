(* Words that begin with another. *)
let words = Array.init 100 (fun i -> String.make (1 + (i mod 7)) 'a' ^ string_of_int i)

let has_prefix prefix word =
  String.length word >= String.length prefix
  && String.sub word 0 (String.length prefix) = prefix (* here: copies *)

let () =
  let count = ref 0 in
  for _ = 1 to 10 do
    Array.iter (fun p -> Array.iter (fun w -> if has_prefix p w then incr count) words) words
  done;
  print_int !count
