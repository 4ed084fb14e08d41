(* Results as TAP. *)
let tests = ref 0

let ok result name =
  incr tests;
  Printf.printf "%sok %d - %s\n%!" (if result then "" else "not ") !tests name

let is show got wanted name =
  ok (got = wanted) name;
  if got <> wanted
  then Printf.printf "# got:    %s\n# wanted: %s\n%!" (show got) (show wanted)

let is_int = is string_of_int
let is_string = is (fun text -> text)

(* [f] raises what [expected] says. *)
let raises f expected name =
  match f () with
  | _ ->
    ok false name;
    print_endline "# nothing was raised"
  | exception exn ->
    ok (expected exn) name;
    if not (expected exn) then print_endline ("# " ^ Printexc.to_string exn)

let finish () = Printf.printf "1..%d\n%!" !tests
