(* Groups are flattened to be counted. *)
let groups = List.init 60 (fun i -> List.init (i mod 7) (fun j -> (i * j) land 15))

let count_large limit =
  groups
  |> List.concat_map (fun g -> List.map (fun x -> x * 2) g) (* here: list-chain here: list-temporaries *)
  |> List.filter (fun x -> x > limit) (* here: list-chain *)
  |> List.length

let () =
  let n = ref 0 in
  for i = 1 to 1_000 do
    n := !n + count_large (i land 7)
  done;
  print_int !n
