(* Gc.Memprof before OCaml 5: one domain, one profile, dropped as it stops. *)

type profile = unit

let start ~sampling_rate tracker =
  Gc.Memprof.start ~sampling_rate ~callstack_size:max_int tracker

let stop () =
  try Gc.Memprof.stop () with
  | Failure _ -> ()

let domain () = 0
let meet () = ()
