(* Gc.Memprof of OCaml 5.3 and later: a profile is shared by the domain that
   starts it and all that it spawns, and outlives its stopping. *)

type profile = Gc.Memprof.t

let start ~sampling_rate tracker =
  Gc.Memprof.start ~sampling_rate ~callstack_size:max_int tracker

(* Stopping concerns the calling domain's profile. A domain that was there
   before tracing began has none. *)
let stop profile =
  (try Gc.Memprof.stop () with
   | Failure _ -> ());
  try Gc.Memprof.discard profile with
  | Failure _ -> ()

let domain () = (Domain.self () :> int)

(* Returns after each domain has been at a point where it is not in the middle
   of a callback: all of them have to meet for a minor collection. *)
let meet () = Gc.minor ()
