(* A sum, read token by token. *)
type token = Number of int | Plus | Minus | End

let text = "10+200-3+44-5"

let next at =
  if !at >= String.length text then End
  else
    match text.[!at] with
    | '+' -> incr at; Plus
    | '-' -> incr at; Minus
    | _ ->
        let n = ref 0 in
        while !at < String.length text && text.[!at] >= '0' do
          n := (!n * 10) + Char.code text.[!at] - 48;
          incr at
        done;
        Number !n (* here: variants *)

let eval () =
  let at = ref 0 in (* also: escaping-refs *)
  let rec go sum sign = (* also: closures *)
    match next at with
    | Number n -> go (sum + (sign * n)) 1
    | Plus -> go sum 1
    | Minus -> go sum (-1)
    | End -> sum
  in
  go 0 1

let () =
  let all = ref 0 in
  for _ = 1 to 15_000 do
    all := !all + eval ()
  done;
  print_int !all
