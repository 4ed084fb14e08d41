(* A text is shifted before it is compared. *)
let shift k text =
  String.map (fun c -> if c >= 'a' && c <= 'z' then Char.chr (97 + ((Char.code c - 97 + k) mod 26)) else c) text (* here: copies here: closures *)

let secret = "wkh txlfn eurzq ira"

let solves guess =
  let rec go k = k < 26 && (String.equal (shift k secret) guess || go (k + 1)) in (* also: closures here: copies *)
  go 0

let () =
  let n = ref 0 in
  for _ = 1 to 2_000 do
    if solves "the quick brown fox" then incr n
  done;
  print_int !n
