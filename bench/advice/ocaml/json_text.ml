(* Prints a document as JSON. *)
type json = Number of int | Text of string | List of json list | Object of (string * json) list

let rec show = function
  | Number n -> string_of_int n
  | Text s -> "\"" ^ s ^ "\""
  | List items -> "[" ^ String.concat "," (List.map show items) ^ "]"
  | Object fields ->
      List.fold_left
        (fun text (name, value) -> text ^ "\"" ^ name ^ "\":" ^ show value ^ ",") (* here: string-append *)
        "{" fields
      ^ "}"

let document =
  Object
    (List.init 400 (fun i -> ("field" ^ string_of_int i, List [ Number i; Text "some text"; Number (i * i) ])))

let () =
  let length = ref 0 in
  for _ = 1 to 5 do
    length := !length + String.length (show document)
  done;
  print_int !length
