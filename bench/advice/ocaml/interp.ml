(* A small language, evaluated over values with a tag. *)
type value = Int of int | Bool of bool
type term = Lit of int | Plus of term * term | Less of term * term | If of term * term * term | Arg

let rec eval arg = function
  | Lit n -> Int n (* here: variants *)
  | Arg -> Int arg (* here: variants *)
  | Plus (a, b) -> (
      match (eval arg a, eval arg b) with
      | Int x, Int y -> Int (x + y) (* here: variants *)
      | _ -> failwith "plus")
  | Less (a, b) -> (
      match (eval arg a, eval arg b) with
      | Int x, Int y -> Bool (x < y) (* here: variants *)
      | _ -> failwith "less")
  | If (c, t, e) -> (
      match eval arg c with
      | Bool true -> eval arg t
      | Bool false -> eval arg e
      | Int _ -> failwith "if")

let program = If (Less (Arg, Lit 50), Plus (Arg, Plus (Lit 1, Lit 2)), Plus (Arg, Lit (-50)))

let () =
  let n = ref 0 in
  for i = 1 to 25_000 do
    match eval (i mod 100) program with Int k -> n := !n + k | Bool _ -> ()
  done;
  print_int !n
