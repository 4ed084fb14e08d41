(* A checksum with two sums of 32 bits each, in a loop over a string. *)
let modulus = 65521l

let checksum text =
  let rec loop i a b = (* also: closures *)
    if i >= String.length text then Int32.logor (Int32.shift_left b 16) a
    else
      let a' = Int32.rem (Int32.add a (Int32.of_int (Char.code (String.unsafe_get text i)))) modulus in (* here: boxed-integers *)
      loop (i + 1) a' (Int32.rem (Int32.add b a') modulus) (* here: boxed-integers *)
  in
  loop 0 1l 0l

let () =
  let acc = ref 0l in
  for i = 1 to 2_500 do
    acc := Int32.logxor !acc (checksum (if i land 1 = 0 then "some text to be summed" else "another"))
  done;
  Printf.printf "%ld\n" !acc
