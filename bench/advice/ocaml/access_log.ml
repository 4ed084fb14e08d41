(* How many lines of a log are errors. *)
let line i = Printf.sprintf "2024-01-02T03:04:05 host%d %s request took %d ms" (i mod 9) (if i mod 10 = 0 then "ERROR" else "INFO") i
let log = List.init 300 line

let is_error line =
  match String.split_on_char ' ' line with (* here: splits *)
  | _time :: _host :: "ERROR" :: _ -> true
  | _ -> false

let () =
  let errors = ref 0 in
  for _ = 1 to 60 do
    List.iter (fun line -> if is_error line then incr errors) log
  done;
  print_int !errors
