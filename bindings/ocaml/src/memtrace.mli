(** Recording where a program allocates, and how long the blocks live.

    {[
      let () = Memtrace.trace_if_requested ()
    ]}

    at the beginning of a program, and [MEMTRACE=trace.ctf] in its environment:
    the trace is complete when the program exits, and has every event even if it
    is killed. *)

open Or_null

(** Does nothing unless the environment variable [MEMTRACE] is set and not
    empty. Then it begins to trace into the file of that name, and goes on till
    the program exits. [%p] in the name becomes the process id. A name that ends
    in [.pb.gz] gets a pprof profile instead of a trace. [MEMTRACE] is made
    empty, so that programs which this one starts are not traced.

    With a profile, [MEMTRACE_EVERY] in the environment is the number of seconds
    of an interval: see {!start_intervals}.

    [context] is any text: it is kept in the trace.

    [sampling_rate] is how many samples are taken per word allocated, over 0
    and at most 1. [MEMTRACE_RATE] in the environment has precedence. By
    default it is {!default_sampling_rate}.

    [if_started] says what happens when a trace is being recorded already:
    [`Ignore], as by default, nothing; [`Fail] raises [Failure].

    Raises [Invalid_argument] for an ill-formed rate and for a file that can't
    be opened. *)
val trace_if_requested
  :  ?if_started:[ `Fail | `Ignore ]
  -> ?context:string
  -> ?sampling_rate:float
  -> unit
  -> unit

(** A trace being recorded. *)
type tracer

(** Begins to trace into [filename]. Raises as {!trace_if_requested} does, and
    [Failure] while another trace is being recorded. *)
val start_tracing
  :  context:string option
  -> sampling_rate:float
  -> filename:string
  -> tracer

(** Gathers a pprof profile of each interval of so many seconds, for as long as
    the program runs: what was allocated in it, and what is in use at its end.
    Memory does not grow with time. For [filename] [app.pb.gz] the files are
    [app.1.pb.gz], [app.2.pb.gz] and so on, each complete once it is there;
    their sums are those of the whole. If the program is killed, the last one is
    saved by the next heaptap command that opens another of them. An interval ends with the first sampled
    block after its time, and lasts longer where writing would take more than a
    hundredth of it. Raises as {!start_tracing} does, and [Invalid_argument]
    for a name that doesn't end in [.pb.gz]. *)
val start_intervals
  :  every:float
  -> context:string option
  -> sampling_rate:float
  -> filename:string
  -> tracer

(** Ends the trace; a second time does nothing. The program's exit does it
    too. *)
val stop_tracing : tracer -> unit

(** Is a trace being recorded? *)
val currently_tracing : unit -> bool

(** 1e-5: a sample every 100 000 words. *)
val default_sampling_rate : float

(** Reading and writing traces. *)
module Trace = Trace

(** Recording into a {!Trace.Writer.t}, with more control. *)
module Memprof_tracer = Memprof_tracer

(** Memory that isn't on OCaml's heap. *)
module External : sig
  type token [@@immediate]

  (** To be called when so many bytes are allocated. It is sampled like the
      heap: when the result is [This token], give the token to {!free} when the
      memory is freed. Most of the time it is [Null], at a cost of a few
      nanoseconds. *)
  val alloc : bytes:int -> token or_null

  val free : token -> unit
end

(** Random gaps between samples. *)
module Geometric_sampler = Geometric_sampler
