(* Tracing one domain: what is recorded, and how it begins and ends. *)
open Tap

let in_temporary_file f =
  let filename = Filename.temp_file "heaptap" ".ctf" in
  Fun.protect ~finally:(fun () -> Sys.remove filename) (fun () -> f filename)

(* What [f] allocates, at rate 1. *)
let traced ?(rate = 1.) f =
  in_temporary_file (fun filename ->
    let tracer =
      Memtrace.start_tracing ~context:None ~sampling_rate:rate ~filename
    in
    f tracer;
    Memtrace.stop_tracing tracer;
    Events.read filename)

let keep : Obj.t list ref = ref []
let hold x = keep := Obj.repr (Sys.opaque_identity x) :: !keep

(* ---- What is recorded ---- *)

let[@inline never] make_arrays n = 
  for _ = 1 to n do
    hold (Array.make 10 0)
  done

let[@inline never] make_large n =
  for _ = 1 to n do
    hold (Array.make 1000 0)
  done

let source_of : Memtrace.Trace.Event.t -> string = function
  | Alloc { source = Minor; _ } -> "minor"
  | Alloc { source = Major; _ } -> "major"
  | Alloc { source = External; _ } -> "external"
  | _ -> "none"

let test_blocks () =
  let t =
    traced (fun _ ->
      make_arrays 100;
      make_large 50;
      Gc.minor ();
      keep := [];
      Gc.full_major ())
  in
  ok (t.order = []) "events are in order, each block has one of each";
  List.iter (fun s -> print_endline ("# " ^ s)) t.order;
  let small = Events.blocks t ~below:"make_arrays" 10 in
  let large = Events.blocks t ~below:"make_large" 1000 in
  is_int (List.length small) 100 "each small block";
  is_int (List.length large) 50 "each large one";
  ok (List.for_all (fun (_, e) -> source_of e = "minor") small) "... from the minor heap";
  ok (List.for_all (fun (_, e) -> source_of e = "major") large) "... from the major heap";
  is_int (List.length (Events.promoted t small)) 100 "each small block is promoted";
  is_int (List.length (Events.promoted t large)) 0 "... a large one never";
  is_int (List.length (Events.ended t small)) 100 "each small block ends";
  is_int (List.length (Events.ended t large)) 50 "each large one too";
  let samples : Memtrace.Trace.Event.t -> int = function
    | Alloc a -> a.nsamples
    | _ -> 0
  in
  ok
    (List.for_all (fun (_, e) -> samples e = 11) small)
    "at rate 1 each word is a sample, the header's too"

let test_info () =
  in_temporary_file (fun filename ->
    let tracer =
      Memtrace.start_tracing ~context:(Some "here") ~sampling_rate:0.5 ~filename
    in
    Memtrace.stop_tracing tracer;
    let info = (Events.read filename).info in
    ok (info.sample_rate = 0.5) "the rate";
    is_int info.word_size 64 "the word size";
    is_string info.executable_name Sys.executable_name "the program";
    is_string info.host_name (Unix.gethostname ()) "the host";
    is_string info.ocaml_runtime_params (Sys.runtime_parameters ()) "the parameters";
    is_int (Int64.to_int info.pid) (Unix.getpid ()) "the pid";
    is_string (Option.value info.context ~default:"none") "here" "the context";
    let age =
      Unix.gettimeofday () -. Memtrace.Trace.Timestamp.to_float info.start_time
    in
    ok (age >= 0. && age < 600.) "the time")

let test_deep () =
  let rec dig n = if n = 0 then (hold (Array.make 77 0); 0) else 1 + dig (n - 1) in
  let t = traced (fun _ -> ignore (dig 9_000 : int)) in
  match Events.blocks t 77 with
  | [ (_, event) ] ->
    let frames = Events.frames t event in
    ok
      (List.length (List.filter (Events.ends_with "dig") frames) >= 9_000)
      "a deep stack is kept whole"
  | _ -> ok false "a deep stack is kept whole"

let[@inline always] inlined n = hold (Array.make n 0)
let[@inline never] around () = inlined 55

let test_inlined () =
  let t = traced (fun _ -> around ()) in
  match Events.blocks t ~below:"around" 55 with
  | [ (_, event) ] ->
    let last_two = function
      | a :: b :: c :: _ -> [ a; b; c ]
      | short -> short
    in
    let names = last_two (List.rev (Events.frames t event)) in
    ok (List.exists (Events.ends_with "around") names) "callers of inlined functions"
  | _ -> ok false "callers of inlined functions"

let test_marshal () =
  let data = Array.init 500 (fun i -> string_of_int i) in
  let text = Marshal.to_string data [] in
  let t =
    traced (fun _ ->
      hold (Marshal.from_string text 0 : string array);
      Gc.full_major ();
      keep := [];
      Gc.full_major ())
  in
  ok (t.order = []) "unmarshalled blocks: events in order";
  is_int (List.length (Events.ended t (Events.blocks t 500))) 1 "the array lived and ended";
  ok (Events.count t 1 >= 500) "... and its 500 strings are there"

let test_bigarray () =
  let t =
    traced (fun _ ->
      hold (Bigarray.Array1.create Bigarray.char Bigarray.c_layout 80_000);
      keep := [];
      Gc.full_major ())
  in
  ok (t.order = []) "bigarrays: events in order";
  is_int (Events.count t 10_000) 1 "80 kB outside of the heap are 10 000 words"

let test_external () =
  let module E = Memtrace.External in
  let t =
    traced (fun _ ->
      for _ = 1 to 100 do
        match E.alloc ~bytes:52 with
        | This token -> E.free token
        | Null -> ()
      done;
      ignore (E.alloc ~bytes:800))
  in
  let blocks = Events.blocks t 7 in
  let external_ = List.filter (fun (_, e) -> source_of e = "external") in
  is_int (List.length (external_ blocks)) 100 "each external block, its size rounded up";
  is_int (List.length (Events.ended t blocks)) 100 "... and its end";
  is_int (List.length (external_ (Events.blocks t 100))) 1 "one that is not freed";
  is_int (List.length (Events.ended t (Events.blocks t 100))) 0 "... has no end";
  ok
    (List.for_all
       (fun (_, e) ->
         match List.rev (Events.frames t e) with
         | last :: _ -> not (Events.ends_with "alloc" last || Events.ends_with "record_external" last)
         | [] -> false)
       blocks)
    "its stack ends in the caller";
  let own = Events.select t (Events.inside t "record_external") in
  is_int (List.length own) 0 "the library's own tokens are not in the trace";
  ok (E.alloc ~bytes:1_000_000_000 = Null) "no tokens while nothing is traced"

let test_external_rate () =
  let module E = Memtrace.External in
  let samples = ref 0 in
  let t =
    traced ~rate:0.1 (fun _ ->
      for _ = 1 to 1000 do
        ignore (Sys.opaque_identity (E.alloc ~bytes:56))
      done)
  in
  Hashtbl.iter
    (fun _ (event : Memtrace.Trace.Event.t) ->
      match event with
      | Alloc { source = External; nsamples; _ } -> samples := !samples + nsamples
      | _ -> ())
    t.allocs;
  ok (!samples > 600 && !samples < 800) "7000 words at a tenth: about 700 samples"

(* ---- Beginning and end ---- *)

let test_states () =
  in_temporary_file (fun filename ->
    let start () =
      Memtrace.start_tracing ~context:None ~sampling_rate:1. ~filename
    in
    ok (not (Memtrace.currently_tracing ())) "nothing is traced at first";
    let tracer = start () in
    ok (Memtrace.currently_tracing ()) "a trace is being recorded";
    raises start (function Failure _ -> true | _ -> false) "a second one is refused";
    Memtrace.stop_tracing tracer;
    ok (not (Memtrace.currently_tracing ())) "it has ended";
    Memtrace.stop_tracing tracer;
    ok true "to stop again does nothing";
    let tracer = start () in
    make_arrays 3;
    Memtrace.stop_tracing tracer;
    is_int (Events.count (Events.read filename) 10) 3 "start after stop: a new trace")

let invalid = function
  | Invalid_argument _ -> true
  | _ -> false

let with_environment name value f =
  Unix.putenv name value;
  Fun.protect ~finally:(fun () -> Unix.putenv name "") f

let test_requests () =
  in_temporary_file (fun filename ->
    let request ?sampling_rate () = 
      Unix.putenv "MEMTRACE" filename;
      Memtrace.trace_if_requested ?sampling_rate ()
    in
    List.iter
      (fun rate ->
        with_environment "MEMTRACE_RATE" rate (fun () ->
          raises request invalid ("MEMTRACE_RATE=" ^ rate ^ " is refused")))
      [ "potato"; "42"; "0"; "-1"; "nan"; "1e-5x" ];
    List.iter
      (fun sampling_rate ->
        raises
          (request ~sampling_rate)
          invalid
          (Printf.sprintf "the rate %g is refused" sampling_rate))
      [ -3.; 0.; 2.; Float.nan ];
    ok (not (Memtrace.currently_tracing ())) "and nothing is traced";
    with_environment "MEMTRACE_RATE" "0.25" (fun () -> request ~sampling_rate:0.5 ());
    ok (Sys.getenv "MEMTRACE" = "") "MEMTRACE is emptied for what the program starts";
    raises
      (fun () ->
        Unix.putenv "MEMTRACE" filename;
        Memtrace.trace_if_requested ~if_started:`Fail ())
      (function Failure _ -> true | _ -> false)
      "if_started: `Fail";
    Unix.putenv "MEMTRACE" filename;
    Memtrace.trace_if_requested ();
    ok true "if_started: ignored by default";
    Option.iter Memtrace.Memprof_tracer.stop (Memtrace.Memprof_tracer.active_tracer ());
    ok ((Events.read filename).info.sample_rate = 0.25) "MEMTRACE_RATE beats the argument")

let test_refused_rate_keeps_file () =
  in_temporary_file (fun filename ->
    let channel = open_out filename in
    output_string channel "precious";
    close_out channel;
    raises
      (fun () -> Memtrace.start_tracing ~context:None ~sampling_rate:42. ~filename)
      invalid
      "a rate of 42 is refused";
    let channel = open_in filename in
    is_string (input_line channel) "precious" "... before the file is touched";
    close_in channel)

(* ---- Callbacks, signals, threads ---- *)

exception Alarm

(* A signal handler that raises from wherever the program is. *)
let test_exceptions () =
  let raised = ref 0 in
  Sys.set_signal Sys.sigusr1 (Signal_handle (fun _ -> raise Alarm));
  let t =
    traced (fun _ ->
      for _ = 1 to 50 do
        try
          Unix.kill (Unix.getpid ()) Sys.sigusr1;
          make_arrays 20
        with
        | Alarm -> incr raised
      done;
      make_arrays 10)
  in
  Sys.set_signal Sys.sigusr1 Signal_default;
  is_int !raised 50 "exceptions of signal handlers pass through";
  ok (t.order = []) "... and events stay in order";
  ok (Events.count t ~below:"make_arrays" 10 >= 10) "... and tracing goes on"

let test_stop_in_handler () =
  in_temporary_file (fun filename ->
    let tracer = Memtrace.start_tracing ~context:None ~sampling_rate:1. ~filename in
    let done_ = ref false in
    Gc.finalise
      (fun _ ->
        Memtrace.stop_tracing tracer;
        done_ := true)
      (ref 0);
    while not !done_ do
      make_arrays 10;
      Gc.full_major ()
    done;
    ok (not (Memtrace.currently_tracing ())) "stopped by a finaliser";
    let t = Events.read filename in
    ok (t.order = [] && Events.count t 10 >= 10) "... the trace is whole")

let test_threads () =
  let t =
    traced (fun _ ->
      let work () =
        for _ = 1 to 200 do
          hold (Array.make 31 0);
          Thread.yield ()
        done
      in
      List.iter Thread.join (List.init 4 (fun _ -> Thread.create work ()));
      keep := [];
      Gc.full_major ())
  in
  ok (t.order = []) "four threads: events in order";
  is_int (Events.count t 31) 800 "... all blocks are there";
  is_int (List.length (Events.ended t (Events.blocks t 31))) 800 "... and end"

let test_fork () =
  in_temporary_file (fun filename ->
    let tracer = Memtrace.start_tracing ~context:None ~sampling_rate:1. ~filename in
    hold (Array.make 41 0);
    (match Unix.fork () with
     | 0 ->
       for _ = 1 to 20_000 do
         ignore (Sys.opaque_identity (Array.make 42 0))
       done;
       let tracing = Memtrace.currently_tracing () in
       exit (if tracing then 1 else 0)
     | pid ->
       ok (snd (Unix.waitpid [] pid) = WEXITED 0) "a forked child ends its tracing");
    hold (Array.make 43 0);
    Memtrace.stop_tracing tracer;
    let t = Events.read filename in
    is_int (Events.count t 41) 1 "what was before the fork is there";
    is_int (Events.count t 42) 0 "... nothing of the child";
    is_int (Events.count t 43) 1 "... and what came after it")

(* A child may trace itself, into a file of its own, at once. *)
let test_fork_traces () =
  in_temporary_file (fun filename ->
    let own = filename ^ ".%p" in
    let start filename =
      Memtrace.start_tracing ~context:None ~sampling_rate:1. ~filename
    in
    let tracer = start filename in
    hold (Array.make 44 0);
    match Unix.fork () with
    | 0 ->
      let was_tracing = Memtrace.currently_tracing () in
      let tracer = start own in
      make_arrays 5;
      keep := [];
      Gc.full_major ();
      Memtrace.stop_tracing tracer;
      Unix._exit (if was_tracing then 1 else 0)
    | pid ->
      ok (snd (Unix.waitpid [] pid) = WEXITED 0) "a child that traces itself";
      hold (Array.make 45 0);
      Memtrace.stop_tracing tracer;
      let child = Printf.sprintf "%s.%d" filename pid in
      let t = Events.read child in
      Sys.remove child;
      is_int (Int64.to_int t.info.pid) pid "... its trace says whose it is";
      is_int (Events.count t 10) 5 "... has its blocks";
      is_int (Events.count t 44) 0 "... and none of its parent's";
      ok (t.order = []) "... nor their ends";
      let t = Events.read filename in
      is_int (Events.count t 44 + Events.count t 45) 2 "its parent's trace goes on";
      is_int (Events.count t 10) 0 "... without it")

let () =
  test_blocks ();
  test_info ();
  test_deep ();
  test_inlined ();
  test_marshal ();
  test_bigarray ();
  test_external ();
  test_external_rate ();
  test_states ();
  test_requests ();
  test_refused_rate_keeps_file ();
  test_exceptions ();
  test_stop_in_handler ();
  test_threads ();
  test_fork ();
  test_fork_traces ();
  finish ()
