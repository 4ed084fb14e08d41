(* Rows of numbers written as text. *)
let row = List.init 20 (fun i -> i * 37)

let () =
  let out = open_out "/dev/null" in
  for _ = 1 to 3_000 do
    output_string out (String.concat "," (List.map string_of_int row)); (* here: list-chain also: number-texts *)
    output_char out '\n'
  done;
  close_out out
