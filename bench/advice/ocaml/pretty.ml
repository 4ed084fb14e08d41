(* Expressions printed by Format. *)
type expr = Int of int | Add of expr * expr | Mul of expr * expr

let rec pp ppf = function
  | Int n -> Format.pp_print_int ppf n (* also: formats *)
  | Add (a, b) -> Format.fprintf ppf "(%a + %a)" pp a pp b (* here: formats *)
  | Mul (a, b) -> Format.fprintf ppf "%a * %a" pp a pp b (* here: formats *)

let () =
  let e = Add (Int 1, Mul (Int 2, Add (Int 3, Int 4))) in
  let all = ref 0 in
  for _ = 1 to 1_500 do
    all := !all + String.length (Format.asprintf "%a" pp e) (* here: formats *)
  done;
  print_int !all
