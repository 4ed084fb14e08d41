(* A function that makes an array for each call, which its caller reads and drops. *)
let[@inline never] doubled row =
  Array.init 24 (fun i -> row.(i) * 2) (* here: scratch-arrays also: closures *)

let () =
  let row = Array.init 24 (fun i -> i) in
  let sum = ref 0 in
  for i = 1 to 20_000 do
    let twice = doubled row in
    sum := !sum + twice.(i mod 24)
  done;
  print_int !sum
