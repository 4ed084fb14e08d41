(* Gc.Memprof of OCaml 5.3 and later: a profile is shared by the domain that
   starts it and all that it spawns, and outlives its stopping. *)

type profile = Gc.Memprof.t

external alone : unit -> bool = "heaptap_ocaml_alone" [@@noalloc]

let start ~sampling_rate tracker =
  Gc.Memprof.start ~sampling_rate ~callstack_size:max_int tracker

(* Stopping concerns the calling domain's profile; a domain that was there
   before tracing began has none.

   What is tracked is dropped only where no other domain can be about to run a
   callback of it: the runtime of 5.3 doesn't expect that and crashes. Else the
   callbacks of blocks that die later come, find the session over, and do
   nothing. *)
let stop profile =
  (try Gc.Memprof.stop () with
   | Failure _ -> ());
  if alone ()
  then (
    try Gc.Memprof.discard profile with
    | Failure _ -> ())

let domain () = (Domain.self () :> int)

(* All domains have to meet for a minor collection. *)
let meet () = if not (alone ()) then Gc.minor ()
