(** Tests that keep to limits of memory, in any framework whose tests are
    functions:

    {[
      Alcotest.test_case "a large file" `Quick
        (Heaptap_limits.within ~allocated:"20 MB" ~live_at_end:"0" test_large_file)
    ]}

    The test is traced, every word of it, while it runs. Then [heaptap check]
    says whether the limits hold. If not, the test fails with {!Broken}, whose
    message has the lines that allocate most, and their bytes. *)

(** A limit is broken; or more than one, a line for each. *)
exception Broken of string

(** [within f x] is [f x], which must keep to the limits:

    - [allocated]: bytes, all that it allocates;
    - [objects]: how many blocks that is;
    - [live_at_end]: bytes, what of this is alive when it has returned and the
      garbage is collected; its result is, too;
    - [peak]: bytes, the most that is alive at once. As in all of OCaml, a
      block lives until a collection finds that it is garbage: so this depends
      on when collections run.

    A limit is a text as [heaptap check] takes it, such as ["20 MB"].

    Where the program is being traced already, by {!Memtrace} or by
    {!within} itself, [f x] is only called. An exception of [f] goes on as it
    is, and no limit is judged.

    Raises {!Broken}, and [Failure] if the program [heaptap] can't be run: it is
    looked for on [PATH], or is what the environment variable [HEAPTAP] says. *)
val within
  :  ?allocated:string
  -> ?objects:string
  -> ?live_at_end:string
  -> ?peak:string
  -> ('a -> 'b)
  -> 'a
  -> 'b
