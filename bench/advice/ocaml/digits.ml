(* The digits of a text. *)
let text = "a1b22c333 and 4444 more"

let digit_sum text =
  String.to_seq text (* here: sequences *)
  |> Seq.filter (fun c -> c >= '0' && c <= '9') (* here: sequences *)
  |> Seq.map (fun c -> Char.code c - 48) (* here: sequences *)
  |> Seq.fold_left ( + ) 0 (* here: sequences *)

let () =
  let all = ref 0 in
  for _ = 1 to 3_000 do
    all := !all + digit_sum text
  done;
  print_int !all
