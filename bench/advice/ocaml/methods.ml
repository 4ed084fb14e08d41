(* Requests counted by their method. *)
let request = Bytes.of_string "GET /index.html HTTP/1.1\r\n"

let is_get request =
  let stop = Bytes.index request ' ' in
  let word = Bytes.sub_string request 0 stop in (* here: copies *)
  word = "GET" || word = "HEAD"

let () =
  let gets = ref 0 in
  for _ = 1 to 100_000 do
    if is_get request then incr gets
  done;
  print_int !gets
