(** Reading and writing traces in memtrace's format.

    A trace begins with an {!Info.t}. Then come events, each on a domain of the
    traced program: a sampled block was allocated, was promoted to the major
    heap, was collected. *)

(** Microseconds since the Unix epoch. *)
module Timestamp : sig
  type t

  val now : unit -> t
  val of_int64 : int64 -> t
  val to_int64 : t -> int64

  (** In seconds, as {!Unix.gettimeofday} has it. *)
  val to_float : t -> float

  val of_float : float -> t
end

(** Microseconds since the start of a trace. *)
module Timedelta : sig
  type t

  val to_int64 : t -> int64

  (** [offset start t] is [t] after [start]. *)
  val offset : Timestamp.t -> t -> Timestamp.t
end

(** A place in the source of the traced program. *)
module Location : sig
  type t =
    { filename : string
    ; line : int
    ; start_char : int
    ; end_char : int
    ; defname : string  (** the function, as [Module.f] *)
    }

  (** As [Module.f@file.ml:line:start-end]. *)
  val to_string : t -> string

  val unknown : t
end

(** Which block: each has a number of its own in the trace. *)
module Obj_id : sig
  type t = private int

  module Tbl : Hashtbl.SeededS with type key = t
end

(** Which domain. *)
module Domain_id : sig
  type t = private int

  val main_domain : t

  module Expert : sig
    val of_int : int -> t
  end
end

(** An entry of a call stack. It stands for one or more locations, because of
    inlining. *)
module Location_code : sig
  type t = private int

  module Tbl : Hashtbl.SeededS with type key = t

  module Expert : sig
    val of_int : int -> t
  end
end

(** Where a block was allocated: in the minor heap, in the major heap, or
    outside of the heap. *)
module Allocation_source : sig
  type t =
    | Minor
    | Major
    | External
end

module Event : sig
  type t =
    | Alloc of
        { obj_id : Obj_id.t  (** grows with time within a domain *)
        ; length : int  (** in words, without the header *)
        ; domain : Domain_id.t
        ; nsamples : int  (** how many of the words were sampled: 1 or more *)
        ; source : Allocation_source.t
        ; backtrace_buffer : Location_code.t array
        (** The call stack, from the outermost caller to the allocation, is in
            the first [backtrace_length] entries. The array is used again for
            the next event: copy what is to be kept. *)
        ; backtrace_length : int
        ; common_prefix : int
        (** How many of the outermost entries are those of the domain's
            previous allocation. *)
        }
    | Promote of Obj_id.t * Domain_id.t
    | Collect of Obj_id.t * Domain_id.t
    (** A block is promoted and collected on the domain that allocated it, or
        on any other once that one has ended. Events are in order within a
        domain only; those of several domains are merged by their times. *)

  val domain : t -> Domain_id.t
  val to_string : (Location_code.t -> Location.t list) -> t -> string
end

(** What a trace says of itself. *)
module Info : sig
  type t =
    { sample_rate : float  (** samples per word *)
    ; word_size : int  (** in bits *)
    ; executable_name : string
    ; host_name : string
    ; ocaml_runtime_params : string
    ; pid : Int64.t
    ; initial_domain : Domain_id.t  (** that began the trace *)
    ; start_time : Timestamp.t
    ; context : string option
    }
end

(** Writing a trace: one writer for each domain of it, used by one thread at a
    time. *)
module Writer : sig
  type t

  exception Pid_changed

  (** Begins a trace in the file, and gives the writer of its initial domain.
      [getpid] says who is asking: from then on its result must be that of the
      first call, else nothing is written and {!Pid_changed} is raised. By
      default it is the pid of the info.

      This and the functions below raise [Unix.Unix_error] when the file can't
      be written. *)
  val create : Unix.file_descr -> ?getpid:(unit -> int64) -> Info.t -> t

  val domain : t -> Domain_id.t

  (** The writer of another domain in the same trace: one for each. *)
  val for_domain : t -> domain:Domain_id.t -> t

  (** [callstack] begins at the allocation, as a raw backtrace does.
      [decode_callstack_entry] is asked once for each code. *)
  val put_alloc
    :  t
    -> Timestamp.t
    -> length:int
    -> nsamples:int
    -> source:Allocation_source.t
    -> callstack:Location_code.t array
    -> decode_callstack_entry:(Location_code.t -> Location.t list)
    -> Obj_id.t

  val put_alloc_with_raw_backtrace
    :  t
    -> Timestamp.t
    -> length:int
    -> nsamples:int
    -> source:Allocation_source.t
    -> callstack:Printexc.raw_backtrace
    -> Obj_id.t

  (** Without the first [drop_slots] slots, those next to the allocation. *)
  val put_alloc_with_suffix_of_raw_backtrace
    :  t
    -> Timestamp.t
    -> length:int
    -> nsamples:int
    -> source:Allocation_source.t
    -> callstack:Printexc.raw_backtrace
    -> drop_slots:int
    -> Obj_id.t

  val put_collect : t -> Timestamp.t -> Obj_id.t -> unit
  val put_promote : t -> Timestamp.t -> Obj_id.t -> unit

  (** Writes out what is buffered. *)
  val flush : t -> unit

  (** Writes out what is buffered, and closes the file. *)
  val close : t -> unit

  (** All domains of a trace, written by one thread. *)
  module Multiplexed_domains : sig
    type t

    val create : Unix.file_descr -> ?getpid:(unit -> int64) -> Info.t -> t

    (** The event goes to the writer of its domain, a block under its own id. *)
    val put_event
      :  t
      -> decode_callstack_entry:(Location_code.t -> Location.t list)
      -> Timestamp.t
      -> Event.t
      -> unit

    (** An id that no block of the trace has yet. *)
    val next_alloc_id : t -> domain:Domain_id.t -> Obj_id.t

    val flush : t -> unit
  end
end

(** Reading a trace, plain or compressed by gzip or zstd. *)
module Reader : sig
  type t

  (** Reads from where the descriptor stands. Raises [Failure] where that is no
      trace, here and in {!iter}. *)
  val create : Unix.file_descr -> t

  val info : t -> Info.t

  (** What a code of an event seen so far stands for, outermost caller first.
      Raises [Invalid_argument] for another code. *)
  val lookup_location_code : t -> Location_code.t -> Location.t list

  (** All events from the first, in the order of the file. Without
      [parse_backtraces] they come sooner and their call stacks are empty. A
      trace that was cut short ends where it was cut, with a line on standard
      error. *)
  val iter
    :  t
    -> ?parse_backtraces:bool
    -> (Timedelta.t -> Event.t -> unit)
    -> unit

  val open_ : filename:string -> t

  (** Of the file, as it is stored. *)
  val size_bytes : t -> int64

  val close : t -> unit
end

(**/**)

module Private : sig
  (** Does nothing: memtrace needs it. *)
  val set_name_of_memprof_tracer_module : string -> unit

  (** How many ids a domain's writer takes at a time. *)
  val obj_ids_per_chunk : int Atomic.t

  (** The writer of a trace that Gc.Memprof feeds: of version 2 of the format
      for a program that has one domain only, and silent in forked children.
      [name] leads to the file, which is empty: where it can be mapped, it is
      written in place, so that events outlive the process. *)
  val create_traced : Unix.file_descr -> name:string -> Info.t -> Writer.t

  type stream

  val stream : Writer.t -> stream

  (** Puts into the trace that its process ends now. Nobody else is writing to
      it. *)
  val ended : Writer.t -> unit

  (** {!Writer.close} in whatever process: what is buffered in a forked child
      is not written. The errno of the first failure, or 0. *)
  val finish : Writer.t -> int

  val raise_unix_error : int -> 'a
end
