(* Routes are matched segment by segment. *)
let routes = [ ("users", 1); ("items", 2); ("orders", 3) ]

let segments path = List.filter (fun s -> s <> "") (String.split_on_char '/' path) (* here: splits also: list-chain *)

let route path =
  match segments path with
  | [] -> 0
  | first :: _ -> ( match List.assoc first routes with n -> n | exception Not_found -> -1)

let paths = [| "/users/12"; "/items/7/edit"; "/none"; "/" |]

let () =
  let n = ref 0 in
  for i = 1 to 30_000 do
    n := !n + route paths.(i land 3)
  done;
  print_int !n
