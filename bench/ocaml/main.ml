(* main PROGRAM N HOW: HOW is plain; null, Gc.Memprof with callbacks that keep
   track of each block and do nothing else; or traced, as MEMTRACE says. *)
let null : (unit, unit) Gc.Memprof.tracker =
  let some = Some () in
  { alloc_minor = (fun _ -> some)
  ; alloc_major = (fun _ -> some)
  ; promote = (fun () -> some)
  ; dealloc_minor = (fun () -> ())
  ; dealloc_major = (fun () -> ())
  }

let () =
  (match Sys.argv.(3) with
   | "null" ->
     let sampling_rate = float_of_string (Sys.getenv "MEMTRACE_RATE") in
     ignore (Gc.Memprof.start ~sampling_rate ~callstack_size:max_int null)
   | "traced" -> Memtrace.trace_if_requested ()
   | _ -> ());
  let n = int_of_string Sys.argv.(2) in
  match Sys.argv.(1) with
  | "trees" -> Trees.run n
  | _ -> Json.run n
