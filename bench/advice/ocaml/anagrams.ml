(* Letters counted, for each word anew. *)
let signature word =
  let counts = Array.make 26 0 in (* here: scratch-arrays *)
  String.iter
    (fun c -> (* also: closures *)
      let at = Char.code c - 97 in
      counts.(at) <- counts.(at) + 1)
    word;
  Array.fold_left (fun hash n -> (hash * 31) + n) 7 counts

let () =
  let words = [| "listen"; "silent"; "enlist"; "google" |] in
  let all = ref 0 in
  for i = 1 to 10_000 do
    all := !all lxor signature words.(i mod 4)
  done;
  print_int !all
