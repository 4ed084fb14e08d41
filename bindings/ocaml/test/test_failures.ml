(* What can go wrong while a trace is written: the program goes on. *)
open Tap

let invalid = function
  | Invalid_argument _ -> true
  | _ -> false

let start filename =
  Memtrace.start_tracing ~context:None ~sampling_rate:1. ~filename

let allocate n =
  for _ = 1 to n do
    ignore (Sys.opaque_identity (Array.make 20 0))
  done

let message = function
  | Invalid_argument text -> text
  | exn -> Printexc.to_string exn

let test_unwritable () =
  List.iter
    (fun (name, why) ->
      match start name with
      | tracer ->
        Memtrace.stop_tracing tracer;
        ok false (name ^ " is refused")
      | exception exn ->
        is_string
          (message exn)
          (Printf.sprintf "Memtrace: cannot open %s: %s" name why)
          (name ^ " is refused, with a reason"))
    [ "/no/such/folder/t.ctf", "No such file or directory"
    ; ".", "Is a directory"
    ; "", "No such file or directory"
    ];
  ok (not (Memtrace.currently_tracing ())) "... and nothing is traced"

(* The beginning of the trace can't be written. *)
let test_full_at_once () =
  match start "/dev/full" with
  | _ -> ok false "a full disk at the start is told"
  | exception Unix.Unix_error (ENOSPC, _, _) ->
    ok true "a full disk at the start is told";
    ok (not (Memtrace.currently_tracing ())) "... and nothing is traced"
  | exception exn ->
    ok false "a full disk at the start is told";
    print_endline ("# " ^ Printexc.to_string exn)

let info : Memtrace.Trace.Info.t =
  { sample_rate = 1.
  ; word_size = 64
  ; executable_name = "x"
  ; host_name = "h"
  ; ocaml_runtime_params = ""
  ; pid = 1L
  ; initial_domain = Memtrace.Trace.Domain_id.main_domain
  ; start_time = Memtrace.Trace.Timestamp.now ()
  ; context = None
  }

(* The disk fills while the trace is written: the file turns into /dev/full. *)
let while_recording report_exn f =
  let filename = Filename.temp_file "heaptap" ".ctf" in
  let file = Unix.openfile filename [ O_RDWR ] 0o600 in
  let writer = Memtrace.Trace.Writer.create file info in
  let tracer =
    Memtrace.Memprof_tracer.start ~report_exn ~sampling_rate:1. writer
  in
  allocate 10;
  let full = Unix.openfile "/dev/full" [ O_WRONLY ] 0 in
  Unix.dup2 full file;
  Unix.close full;
  f tracer;
  Sys.remove filename

let test_full_later () =
  let reports = ref [] in
  while_recording
    (fun exn -> reports := exn :: !reports)
    (fun tracer ->
      allocate 50_000;
      ok
        (match !reports with
         | [ Unix.Unix_error (ENOSPC, "write", _) ] -> true
         | _ -> false)
        "a disk that fills is reported, once";
      ok (not (Memtrace.currently_tracing ())) "... and tracing has ended";
      allocate 50_000;
      Memtrace.Memprof_tracer.stop tracer;
      is_int (List.length !reports) 1 "... to stop it then reports nothing more")

(* Full only as the last packet is written. *)
let test_full_at_end () =
  let reports = ref 0 in
  while_recording
    (fun _ -> incr reports)
    (fun tracer ->
      Memtrace.Memprof_tracer.stop tracer;
      is_int !reports 1 "a disk that is full at the end is reported")

exception Mine

let test_report_raises () =
  while_recording
    (fun _ -> raise Mine)
    (fun _ ->
      raises
        (fun () -> allocate 50_000)
        (fun exn -> exn = Mine)
        "an exception of report_exn reaches the program";
      ok (not (Memtrace.currently_tracing ())) "... and tracing has ended")

(* report_exn is called by a callback. *)
let test_stop_in_callback () =
  let self = ref None and stopped = ref false in
  while_recording
    (fun _ ->
      Option.iter Memtrace.Memprof_tracer.stop !self;
      stopped := true)
    (fun tracer ->
      self := Some tracer;
      allocate 50_000;
      ok !stopped "stop inside a callback";
      ok (not (Memtrace.currently_tracing ())) "... and tracing has ended")

let test_start_after () =
  let filename = Filename.temp_file "heaptap" ".ctf" in
  let tracer = start filename in
  allocate 100;
  Memtrace.stop_tracing tracer;
  let t = Events.read filename in
  Sys.remove filename;
  is_int (Events.count t 20) 100 "after all that, a new trace is whole"

(* Somebody else is using Gc.Memprof. *)
let test_foreign_profile () =
  let filename = Filename.temp_file "heaptap" ".ctf" in
  ignore (Gc.Memprof.start ~sampling_rate:1e-3 Gc.Memprof.null_tracker);
  raises
    (fun () -> start filename)
    (function Failure _ -> true | _ -> false)
    "a profile of somebody else is not disturbed";
  ok (not (Memtrace.currently_tracing ())) "... and nothing is traced";
  Gc.Memprof.stop ();
  let tracer = start filename in
  allocate 5;
  Memtrace.stop_tracing tracer;
  is_int (Events.count (Events.read filename) 20) 5 "... once it is over, tracing works";
  Sys.remove filename

(* Two processes and one file. *)
let test_locked () =
  let filename = Filename.temp_file "heaptap" ".ctf" in
  let tracer = start filename in
  (match Unix.fork () with
   | 0 ->
     allocate 10;
     let refused =
       match start filename with
       | _ -> false
       | exception exn -> invalid exn
     in
     Unix._exit (if refused then 0 else 1)
   | pid ->
     ok
       (snd (Unix.waitpid [] pid) = WEXITED 0)
       "a file that another process is tracing into is refused");
  Memtrace.stop_tracing tracer;
  Sys.remove filename

let () =
  test_unwritable ();
  test_full_at_once ();
  test_full_later ();
  test_full_at_end ();
  test_report_raises ();
  test_stop_in_callback ();
  test_start_after ();
  test_foreign_profile ();
  test_locked ();
  finish ()
