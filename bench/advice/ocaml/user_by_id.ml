(* Users looked up in a list. *)
type user = { id : int; name : string }

let users = List.init 20 (fun id -> { id; name = "user" ^ string_of_int id })

let name_of id =
  match List.find_opt (fun user -> user.id = id) users with (* here: options here: closures *)
  | Some user -> user.name
  | None -> "nobody"

let () =
  let all = ref 0 in
  for i = 1 to 40_000 do
    all := !all + String.length (name_of (i mod 25))
  done;
  print_int !all
