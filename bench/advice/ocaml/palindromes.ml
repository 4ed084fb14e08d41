(* Words that read the same from behind. *)
let words = [ "level"; "rotor"; "table"; "noon"; "civic"; "chair"; "redder"; "window" ]
let reversed word = String.to_seq word |> List.of_seq |> List.rev |> List.to_seq |> String.of_seq (* here: sequences *) (* also: list-chain *) (* also: conversions *)

let () =
  let count = ref 0 in
  for _ = 1 to 3000 do
    List.iter (fun word -> if String.equal word (reversed word) then incr count) words
  done;
  print_int !count
