(* Ends while it is traced: is killed, or as the argument says. *)
let allocate () =
  for _ = 1 to 20_000 do
    ignore (Sys.opaque_identity (Array.make 64 0))
  done

let () =
  Memtrace.trace_if_requested ();
  allocate ();
  match Sys.argv with
  | [| _; "raise" |] -> failwith "the end"
  | [| _; "exit" |] -> exit 3
  | [| _; "later" |] ->
    let start = Unix.gettimeofday () in
    while Unix.gettimeofday () -. start < 1.5 do
      Unix.sleepf 0.1
    done;
    allocate ();
    Unix.kill (Unix.getpid ()) Sys.sigkill
  | _ -> Unix.kill (Unix.getpid ()) Sys.sigkill
