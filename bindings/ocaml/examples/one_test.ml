(* One test of a suite, traced:

     TRACE_TEST=squares dune exec ./one_test.exe

   leaves squares.ctf. *)
let traced name f () =
  if Sys.getenv_opt "TRACE_TEST" <> Some name
  then f ()
  else (
    let tracer =
      Memtrace.start_tracing
        ~context:(Some name)
        ~sampling_rate:1.
        ~filename:(name ^ ".ctf")
    in
    Fun.protect ~finally:(fun () -> Memtrace.stop_tracing tracer) f)

let case name f = Alcotest.test_case name `Quick (traced name f)

let squares () =
  let list = List.init 1000 (fun i -> i * i) in
  Alcotest.(check int) "sum" 332833500 (List.fold_left ( + ) 0 list)

let strings () =
  Alcotest.(check string) "joined" "a-b" (String.concat "-" [ "a"; "b" ])

let () =
  Alcotest.run "sums" [ "all", [ case "squares" squares; case "strings" strings ] ]
