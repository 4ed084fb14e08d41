(* A copy by Marshal, made for each turn. *)
let tree = List.init 200 (fun i -> (i, string_of_int i))

let () =
  let sum = ref 0 in
  for _ = 1 to 2000 do
    let text = Marshal.to_string tree [] in (* here: marshal *)
    sum := !sum + String.length text
  done;
  print_int !sum
