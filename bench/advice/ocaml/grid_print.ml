(* A grid as lines of text. *)
let line row = String.concat "" (Array.to_list (Array.map (fun b -> if b then "#" else ".") row)) (* here: conversions here: array-chain *)

let grid = Array.init 20 (fun y -> Array.init 30 (fun x -> (x * y) land 3 = 0))

let () =
  let n = ref 0 in
  for _ = 1 to 150 do
    Array.iter (fun row -> n := !n + String.length (line row)) grid (* here: conversions also: array-chain *)
  done;
  print_int !n
