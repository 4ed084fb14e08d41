(* Is killed while it is traced. *)
let () =
  Memtrace.trace_if_requested ();
  for _ = 1 to 20_000 do
    ignore (Sys.opaque_identity (Array.make 64 0))
  done;
  Unix.kill (Unix.getpid ()) Sys.sigkill
