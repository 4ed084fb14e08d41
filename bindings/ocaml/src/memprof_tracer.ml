open Or_null

(* Each writes an event, in C (session.c).  None: there is trouble. *)
external alloc_minor
  :  int
  -> Gc.Memprof.allocation
  -> Trace.Obj_id.t option
  = "heaptap_ocaml_alloc_minor"
[@@noalloc]

external alloc_major
  :  int
  -> Gc.Memprof.allocation
  -> Trace.Obj_id.t option
  = "heaptap_ocaml_alloc_major"
[@@noalloc]

external promote
  :  int
  -> Trace.Obj_id.t
  -> Trace.Obj_id.t option
  = "heaptap_ocaml_promote"
[@@noalloc]

external dealloc : int -> Trace.Obj_id.t -> unit = "heaptap_ocaml_dealloc"
[@@noalloc]

external session_start
  :  Trace.Private.stream
  -> float
  -> int
  = "heaptap_ocaml_session_start"

external session_open : int -> unit = "heaptap_ocaml_session_open"
[@@noalloc]

external session_trouble : int -> int = "heaptap_ocaml_session_trouble"
external session_forked : int -> bool = "heaptap_ocaml_session_forked"
[@@noalloc]

external session_close : int -> unit = "heaptap_ocaml_session_close"
external session_end : unit -> unit = "heaptap_ocaml_session_end"

external profile_start
  :  string
  -> Trace.Info.t
  -> float
  -> float
  -> int
  = "heaptap_ocaml_profile_start"

external profile_finish : unit -> int = "heaptap_ocaml_profile_finish"

(* What events become. *)
type target =
  | Trace of Trace.Writer.t
  | Profile of string * Trace.Info.t * float
      (** pprof's, in a file of that name; or of intervals of so many seconds, 0 for none *)

type t =
  { target : target
  ; report_exn : exn -> unit
  ; mutable session : int  (** its number in C *)
  ; mutable profile : Memprof.profile option
  ; over : bool Atomic.t  (** the trace is closed, or about to be *)
  }

let active : t option Atomic.t = Atomic.make None
let current_domain () = Trace.Domain_id.Expert.of_int (Memprof.domain ())

let report_by_default = function
  | Trace.Writer.Pid_changed -> ()
  | exn ->
    prerr_endline
      ("heaptap: the trace can't be written, so tracing ends here: "
       ^ Printexc.to_string exn)

let exn_of_code code =
  if code < 0
  then Trace.Writer.Pid_changed
  else (
    try Trace.Private.raise_unix_error code with
    | exn -> exn)

(* Ends the tracing, whoever comes first; the errno of the trace's first
   failure, or 0.  session.c tells why the domains have to meet. *)
let finish ~at_exit t =
  if Atomic.exchange t.over true
  then 0
  else (
    Option.iter Memprof.stop t.profile;
    session_close t.session;
    Memprof.meet ();
    session_end ();
    let code =
      match t.target with
      | Trace writer ->
        if at_exit then Trace.Private.ended writer;
        Trace.Private.finish writer
      | Profile _ -> profile_finish ()
    in
    Atomic.set active None;
    code)

let stop_with ~at_exit t =
  let code = finish ~at_exit t in
  if code <> 0 then t.report_exn (exn_of_code code)

let stop t = stop_with ~at_exit:false t
let stop_at_exit t = stop_with ~at_exit:true t

(* In a forked child, what its parent traces is over before the first callback
   says so. *)
let active_tracer () =
  match Atomic.get active with
  | Some t when session_forked t.session ->
    ignore (finish ~at_exit:false t : int);
    None
  | active -> active

let[@inline never] trouble t =
  match session_trouble t.session with
  | 0 -> ()
  | code ->
    ignore (finish ~at_exit:false t : int);
    t.report_exn (exn_of_code code)

(* The callbacks know their session by its number, so that those of a session
   which is over do nothing.  All is allocated here, before tracing begins. *)
let tracker_of t : (Trace.Obj_id.t, Trace.Obj_id.t) Gc.Memprof.tracker =
  let session = t.session in
  let check = function
    | None ->
      trouble t;
      None
    | some -> some
  in
  { alloc_minor = (fun info -> (check [@inlined]) (alloc_minor session info))
  ; alloc_major = (fun info -> (check [@inlined]) (alloc_major session info))
  ; promote = (fun id -> (check [@inlined]) (promote session id))
  ; dealloc_minor = (fun id -> dealloc session id)
  ; dealloc_major = (fun id -> dealloc session id)
  }

let prepare t sampling_rate =
  t.session
  <- (match t.target with
      | Trace writer -> session_start (Trace.Private.stream writer) sampling_rate
      | Profile (path, info, every) -> profile_start path info sampling_rate every)

(* Undoes what was prepared; the caller's writer stays open. *)
let abandon t =
  session_close t.session;
  session_end ();
  (match t.target with
   | Profile _ -> ignore (profile_finish () : int)
   | Trace _ -> ());
  Atomic.set active None

let start_target ~report_exn ~sampling_rate target =
  if not (sampling_rate > 0. && sampling_rate <= 1.)
  then invalid_arg "Memtrace: the sampling rate must be over 0 and at most 1";
  let t =
    { target
    ; report_exn
    ; session = 0
    ; profile = None
    ; over = Atomic.make false
    }
  in
  if not (Atomic.compare_and_set active None (Some t))
  then failwith "Memtrace: a trace is being recorded already";
  (try prepare t sampling_rate with
   | exn ->
     Atomic.set active None;
     raise exn);
  match Memprof.start ~sampling_rate (tracker_of t) with
  | profile ->
    t.profile <- Some profile;
    (* Only now, so that nothing of the above is in the trace. *)
    session_open t.session;
    t
  | exception exn ->
    abandon t;
    raise exn

let start ?(report_exn = report_by_default) ~sampling_rate writer =
  start_target ~report_exn ~sampling_rate (Trace writer)

let start_profile ~sampling_rate ~every ~filename info =
  let report_exn = report_by_default in
  start_target ~report_exn ~sampling_rate (Profile (filename, info, every))

(* ---- Blocks outside of the heap ---- *)

type ext_token = Trace.Obj_id.t

external external_sampled : int -> bool = "heaptap_ocaml_external_sampled"
[@@noalloc]

external external_alloc
  :  int
  -> int
  -> ext_token or_null
  = "heaptap_ocaml_external_alloc"

external external_free : ext_token -> unit = "heaptap_ocaml_external_free"
[@@noalloc]

(* One slot of the call stack is this function itself: nobody wants to see it.
   Where ext_alloc is inlined, describe.c leaves it out. *)
let[@inline never] record_external ~bytes = external_alloc bytes 1

let ext_alloc ~bytes =
  if external_sampled bytes then record_external ~bytes else Null

let ext_free = external_free
