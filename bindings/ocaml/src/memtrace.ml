type tracer = Memprof_tracer.t

external clock_start : unit -> int64 = "heaptap_ocaml_clock_start"

let default_sampling_rate = 1e-5

let check_rate rate =
  if not (rate > 0. && rate <= 1.)
  then
    invalid_arg
      (Printf.sprintf
         "Memtrace: the sampling rate is %g, it must be over 0 and at most 1"
         rate)

(* %p: the process id. *)
let rec expand_name name =
  match String.index_opt name '%' with
  | Some i when i + 1 < String.length name && name.[i + 1] = 'p' ->
    String.sub name 0 i
    ^ string_of_int (Unix.getpid ())
    ^ expand_name (String.sub name (i + 2) (String.length name - i - 2))
  | Some i ->
    String.sub name 0 (i + 1)
    ^ expand_name (String.sub name (i + 1) (String.length name - i - 1))
  | None -> name

let refuse_file name why =
  invalid_arg (Printf.sprintf "Memtrace: cannot open %s: %s" name why)

(* A file that is to be mapped is open for reading, too; a pipe waits for its
   reader only without. *)
let open_descriptor name =
  let openfile how = Unix.openfile name Unix.[ O_CREAT; how; O_CLOEXEC ] 0o600 in
  match (Unix.stat name).st_kind with
  | S_REG | (exception Unix.Unix_error _) ->
    (try openfile O_RDWR with
     | Unix.Unix_error (EACCES, _, _) -> openfile O_WRONLY)
  | _ -> openfile O_WRONLY

(* The lock keeps two processes from writing to one file; devices can't be
   truncated. *)
let open_file name =
  let file =
    try open_descriptor name with
    | Unix.Unix_error (code, _, _) ->
      refuse_file name (Unix.error_message code)
  in
  (try Unix.lockf file Unix.F_TLOCK 0 with
   | Unix.Unix_error ((EAGAIN | EACCES), _, _) ->
     Unix.close file;
     refuse_file name "another process is writing to it"
   | Unix.Unix_error _ -> ());
  (try Unix.ftruncate file 0 with
   | Unix.Unix_error _ -> ());
  file

let info ~sampling_rate ~context : Trace.Info.t =
  { sample_rate = sampling_rate
  ; word_size = Sys.word_size
  ; executable_name = Sys.executable_name
  ; host_name = Unix.gethostname ()
  ; ocaml_runtime_params = Sys.runtime_parameters ()
  ; pid = Int64.of_int (Unix.getpid ())
  ; initial_domain = Memprof_tracer.current_domain ()
  ; start_time = Trace.Timestamp.of_int64 (clock_start ())
  ; context
  }

let refuse_second () = failwith "Memtrace: a trace is being recorded already"

let start_trace ~sampling_rate ~context name =
  let file = open_file name in
  try
    let info = info ~sampling_rate ~context in
    let writer = Trace.Private.create_traced file ~name info in
    Memprof_tracer.start ~sampling_rate writer
  with
  | exn ->
    Unix.close file;
    raise exn

let start_profile ~sampling_rate ~every ~context name =
  let info = info ~sampling_rate ~context in
  try
    Memprof_tracer.start_profile ~sampling_rate ~every ~filename:name info
  with
  | Unix.Unix_error (code, _, _) -> refuse_file name (Unix.error_message code)

(* [every]: seconds of an interval; 0 for none. *)
let start_new ~every ~context ~sampling_rate ~filename =
  check_rate sampling_rate;
  let name = expand_name filename in
  if Filename.check_suffix name ".pb.gz"
  then start_profile ~sampling_rate ~every ~context name
  else if every > 0.
  then
    invalid_arg
      (Printf.sprintf
         "Memtrace: intervals are profiles, whose names end in .pb.gz, not %s"
         name)
  else start_trace ~sampling_rate ~context name

let start_tracing ~context ~sampling_rate ~filename =
  if Memprof_tracer.active_tracer () <> None then refuse_second ();
  start_new ~every:0. ~context ~sampling_rate ~filename

let start_intervals ~every ~context ~sampling_rate ~filename =
  if not (every > 0. && every <= 86400.)
  then
    invalid_arg
      (Printf.sprintf
         "Memtrace: the interval is %g s, it must be over 0 and at most a day"
         every);
  if Memprof_tracer.active_tracer () <> None then refuse_second ();
  start_new ~every ~context ~sampling_rate ~filename

let stop_tracing = Memprof_tracer.stop
let currently_tracing () = Memprof_tracer.active_tracer () <> None
let () =
  at_exit (fun () ->
    Option.iter Memprof_tracer.stop_at_exit (Memprof_tracer.active_tracer ()))

let requested_rate default =
  match Sys.getenv_opt "MEMTRACE_RATE" with
  | None | Some "" -> default
  | Some text ->
    (match float_of_string_opt text with
     | Some rate when rate > 0. && rate <= 1. -> rate
     | _ ->
       invalid_arg
         (Printf.sprintf
            "Memtrace: MEMTRACE_RATE is \"%s\", it must be a number over 0 \
             and at most 1"
            text))

let requested_every () =
  match Sys.getenv_opt "MEMTRACE_EVERY" with
  | None | Some "" -> 0.
  | Some text ->
    (match float_of_string_opt text with
     | Some every when every > 0. && every <= 86400. -> every
     | _ ->
       invalid_arg
         (Printf.sprintf
            "Memtrace: MEMTRACE_EVERY is \"%s\", it must be a number of \
             seconds, over 0 and at most a day"
            text))

let trace_if_requested
  ?(if_started = `Ignore)
  ?context
  ?(sampling_rate = default_sampling_rate)
  ()
  =
  match Sys.getenv_opt "MEMTRACE" with
  | None | Some "" -> ()
  | Some filename ->
    (* What this program starts is not to be traced into the same file. *)
    Unix.putenv "MEMTRACE" "";
    let sampling_rate = requested_rate sampling_rate in
    check_rate sampling_rate;
    let every = requested_every () in
    (match if_started, Memprof_tracer.active_tracer () with
     | `Ignore, Some _ -> ()
     | `Fail, Some _ -> refuse_second ()
     | _, None ->
       ignore (start_new ~every ~context ~sampling_rate ~filename : tracer))

module Trace = Trace
module Memprof_tracer = Memprof_tracer

module External = struct
  type token = Memprof_tracer.ext_token

  let alloc = Memprof_tracer.ext_alloc
  let free = Memprof_tracer.ext_free
end

module Geometric_sampler = Geometric_sampler
