(* Texts of JSON made and parsed again: strings, lists, buffers, and deeper
   stacks. *)
type t =
  | Null
  | Number of float
  | Text of string
  | List of t list
  | Object of (string * t) list

let rec make depth n =
  if depth = 0
  then if n land 1 = 0 then Number (float_of_int n) else Text (string_of_int n)
  else if n land 1 = 0
  then List (List.init 4 (fun i -> make (depth - 1) (n + i)))
  else
    Object
      (List.init 4 (fun i -> "key" ^ string_of_int i, make (depth - 1) (n + i)))

let rec print b = function
  | Null -> Buffer.add_string b "null"
  | Number x -> Buffer.add_string b (Printf.sprintf "%g" x)
  | Text s -> Printf.bprintf b "%S" s
  | List l -> items b '[' ']' print l
  | Object l ->
    items b '{' '}' (fun b (k, v) -> Printf.bprintf b "%S:" k; print b v) l

and items : 'a. Buffer.t -> char -> char -> (Buffer.t -> 'a -> unit) -> 'a list -> unit =
  fun b first last f l ->
  Buffer.add_char b first;
  List.iteri (fun i x -> if i > 0 then Buffer.add_char b ','; f b x) l;
  Buffer.add_char b last

let parse text =
  let at = ref 0 in
  let next () = incr at; text.[!at - 1] in
  let until stop =
    let start = !at in
    while not (stop text.[!at]) do incr at done;
    String.sub text start (!at - start)
  in
  let string () =
    incr at;
    let s = until (( = ) '"') in
    incr at;
    s
  in
  let rec value () =
    match text.[!at] with
    | '[' -> incr at; List (rest ']' value)
    | '{' -> incr at; Object (rest '}' pair)
    | '"' -> Text (string ())
    | _ -> Number (float_of_string (until (function ',' | ']' | '}' -> true | _ -> false)))
  and pair () =
    let key = string () in
    incr at;
    key, value ()
  and rest : 'a. char -> (unit -> 'a) -> 'a list =
    fun last f ->
    let x = f () in
    if next () = last then [ x ] else x :: rest last f
  in
  value ()

let run n =
  let total = ref 0 in
  for i = 1 to n do
    let b = Buffer.create 100 in
    print b (make 5 i);
    let text = Buffer.contents b in
    if parse text = Null then exit 1;
    total := !total + String.length text
  done;
  Printf.printf "%d\n" !total
