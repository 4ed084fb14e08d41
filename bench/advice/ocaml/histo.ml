(* A histogram as text, of one line for each bar. *)
let bar label n = String.concat "" [ label; ": "; String.make n '#'; "\n" ]

let render counts =
  let out = Buffer.create 1 in
  Array.iteri (fun i n -> Buffer.add_string out (bar (string_of_int i) n)) counts; (* here: buffer-growth also: number-texts *)
  Buffer.contents out (* also: copies *)

let () =
  let counts = Array.init 200 (fun i -> i * 13 mod 40) in
  let n = ref 0 in
  for _ = 1 to 50 do
    n := !n + String.length (render counts)
  done;
  print_int !n
