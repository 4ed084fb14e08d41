(* Says nothing of tracing: it is linked to heaptap.memtrace.auto. *)
let[@inline never] make () = Array.make 123 0
let () = ignore (Sys.opaque_identity (make ()))
