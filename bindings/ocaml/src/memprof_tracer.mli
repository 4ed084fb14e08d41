(** Feeding a trace from [Gc.Memprof]. *)

open Or_null

type t

(** Traces from now on the calling domain, and those that it and its children
    spawn. [report_exn] is told when the trace can't be written any more, which
    ends the tracing; by default it says so on standard error. A forked child
    ends its tracing silently, and may begin its own.

    Raises [Failure] while another trace is being recorded, [Invalid_argument]
    for a rate that isn't in (0, 1]. *)
val start
  :  ?report_exn:(exn -> unit)
  -> sampling_rate:float
  -> Trace.Writer.t
  -> t

(** Gathers a pprof profile, which is written to the file when tracing ends; or,
    unless [every] is 0, one each [every] seconds, as
    {!Memtrace.start_intervals} says. *)
val start_profile
  :  sampling_rate:float
  -> every:float
  -> filename:string
  -> Trace.Info.t
  -> t

(** Ends the tracing and closes the trace. A second time it does nothing. *)
val stop : t -> unit

(** The same as the program ends, which the trace says then. *)
val stop_at_exit : t -> unit

val active_tracer : unit -> t option
val current_domain : unit -> Trace.Domain_id.t

type ext_token [@@immediate]

val ext_alloc : bytes:int -> ext_token or_null
val ext_free : ext_token -> unit
