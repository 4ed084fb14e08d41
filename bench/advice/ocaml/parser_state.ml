(* A parser that carries its position in a record. *)
type state = { input : string; pos : int; line : int }

let advance s = { s with pos = s.pos + 1; line = (if s.input.[s.pos] = '\n' then s.line + 1 else s.line) } (* here: record-copies *)

let rec skip s =
  if s.pos < String.length s.input && s.input.[s.pos] <> ';' then skip (advance s) else s

let rec statements s n =
  if s.pos >= String.length s.input then n
  else
    let s = skip s in
    if s.pos < String.length s.input then statements (advance s) (n + 1) else n

let text = String.concat ";\n" (List.init 50 (fun i -> "let x = " ^ string_of_int i))

let () =
  let n = ref 0 in
  for _ = 1 to 150 do
    n := !n + statements { input = text; pos = 0; line = 1 } 0
  done;
  print_int !n
