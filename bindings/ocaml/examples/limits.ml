(* Tests with limits, of which each block is known. tests/ocaml/limits.sh runs them. *)
let kept = ref []
let make n = List.init n (fun i -> Array.make 99 i)

let fine () = assert (List.length (make 100) = 100)
let allocates () = assert (List.length (make 1000) = 1000)
let leaks () = kept := make 10
let fails () = failwith "its own reason"

let () =
  let test name f = Alcotest.test_case name `Quick f in
  let within = Heaptap_limits.within in
  Alcotest.run "limits"
    [ ( "memory"
      , [ test "fine" (within ~allocated:"100 kB" ~live_at_end:"0" ~peak:"1 MB" fine)
        ; test "allocates" (within ~allocated:"100 kB" allocates)
        ; test "leaks" (within ~live_at_end:"0" leaks)
        ; test "objects" (within ~objects:"150" fine)
        ; test "fails" (within ~allocated:"0" fails)
        ; test "wrong" (within ~allocated:"much" fine)
        ; test "no limit" (within fine)
        ] )
    ]
