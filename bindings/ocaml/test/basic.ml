(* A known number of blocks of known sizes, from two functions. *)
let kept = ref []

let[@inline never] keep_bytes n =
  for _ = 1 to n do
    kept := Bytes.create 800 :: !kept
  done

let[@inline never] drop_arrays n =
  for _ = 1 to n do
    ignore (Sys.opaque_identity (Array.make 300 0))
  done

let write_name () =
  let channel = open_out "name" in
  Printf.fprintf channel "basic-%d.ctf" (Unix.getpid ());
  close_out channel

let () =
  Memtrace.trace_if_requested ~context:"a known program" ();
  if Memtrace.currently_tracing () then write_name ();
  keep_bytes 1000;
  drop_arrays 500;
  kept := [];
  Gc.full_major ()
