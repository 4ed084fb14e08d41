(** What this version of OCaml has for [Gc.Memprof]. *)

type profile

(** Raises [Failure] when somebody else's profile is running. *)
val start
  :  sampling_rate:float
  -> ('a, 'b) Gc.Memprof.tracker
  -> profile

(** Nothing is sampled any more. Callbacks of blocks that were sampled may still
    come. *)
val stop : profile -> unit

(** The number of the calling domain. *)
val domain : unit -> int

(** Returns after each domain has been outside of callbacks. *)
val meet : unit -> unit
