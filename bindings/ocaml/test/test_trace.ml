(* Writing and reading traces by hand. *)
open Tap
open Memtrace.Trace

let in_temporary_file f =
  let filename = Filename.temp_file "heaptap" ".ctf" in
  Fun.protect ~finally:(fun () -> if Sys.file_exists filename then Sys.remove filename) (fun () -> f filename)

let start = Timestamp.of_int64 1_600_000_000_000_000L
let after us = Timestamp.of_int64 (Int64.add (Timestamp.to_int64 start) us)
let code n = Location_code.Expert.of_int n
let domain n = Domain_id.Expert.of_int n

let info : Info.t =
  { sample_rate = 0.25
  ; word_size = 64
  ; executable_name = "/bin/prog"
  ; host_name = "host"
  ; ocaml_runtime_params = "a=1"
  ; pid = 77L
  ; initial_domain = domain 3
  ; start_time = start
  ; context = Some "a context"
  }

let location filename line defname : Location.t =
  { filename; line; start_char = 3; end_char = 9; defname }

let locations n =
  match (n : Location_code.t :> int) with
  | 1 -> [ location "main.ml" 1 "Main.main" ]
  | 2 -> [ location "a.ml" 20 "A.f"; location "b.ml" 300 "B.inlined" ]
  | 3 -> []
  | 4 -> [ location (String.make 60_000 'x') 1 "Too.long" ]
  | n -> [ location "many.ml" n (Printf.sprintf "Many.f%d" n) ]

let create filename =
  let file = Unix.openfile filename [ O_RDWR; O_TRUNC ] 0o600 in
  Writer.create file ~getpid:(fun () -> 77L) info

let put w ?(us = 10L) ?(length = 5) ?(nsamples = 1) ?(source = Allocation_source.Minor) stack =
  Writer.put_alloc
    w
    (after us)
    ~length
    ~nsamples
    ~source
    ~callstack:(Array.of_list (List.map code stack))
    ~decode_callstack_entry:locations

let events filename =
  let r = Reader.open_ ~filename in
  let found = ref [] in
  Reader.iter r (fun time event ->
    found := (Timedelta.to_int64 time, Events.copy event) :: !found);
  r, List.rev !found

let text r (time, event) =
  Printf.sprintf "%Ld %s" time (Event.to_string (Reader.lookup_location_code r) event)

let test_round_trip () =
  in_temporary_file (fun filename ->
    let w = create filename in
    is_int (Writer.domain w :> int) 3 "the writer's domain is the initial one";
    let a = put w [ 2; 1 ] in
    let b = put w ~us:20L ~length:1000 ~nsamples:7 ~source:Major [ 3; 2; 1 ] in
    Writer.put_promote w (after 30L) a;
    let c = put w ~us:30L ~length:0 ~source:External [ 4 ] in
    Writer.put_collect w (after 40L) c;
    Writer.put_collect w (after 41L) a;
    Writer.close w;
    let r, found = events filename in
    ok (Reader.info r = info) "the info is as it was";
    is
      (String.concat "\n#         ")
      (List.map (text r) found)
      [ "10 0000000000 alloc 1 len=5 dom=3    0: Main.main@main.ml:1:3-9 A.f@a.ml:20:3-9 B.inlined@b.ml:300:3-9"
      ; "20 0000000001 alloc_major 7 len=1000 dom=3    2: Main.main@main.ml:1:3-9 A.f@a.ml:20:3-9 B.inlined@b.ml:300:3-9 $3"
      ; "30 0000000000 promote"
      ; "30 0000000002 alloc_ext 1 len=0 dom=3    0: ??@<unknown>:1:1-1"
      ; "40 0000000002 collect"
      ; "41 0000000000 collect"
      ]
      "events are as they were; a description that is too long is unknown";
    ok ((b :> int) = 1) "ids follow each other";
    raises
      (fun () -> Reader.lookup_location_code r (code 999))
      (function Invalid_argument _ -> true | _ -> false)
      "a code that is not in the trace is refused";
    let n = ref 0 in
    Reader.iter r ~parse_backtraces:false (fun _ event ->
      match event with
      | Alloc { backtrace_length = 0; _ } -> incr n
      | Alloc _ -> n := 1000
      | _ -> ());
    is_int !n 3 "a second time, without stacks";
    ok (Reader.size_bytes r = Int64.of_int (Unix.stat filename).st_size) "the size of the file";
    Reader.close r)

let test_many_codes () =
  in_temporary_file (fun filename ->
    let w = create filename in
    for i = 1 to 30_000 do
      ignore (put w ~us:(Int64.of_int i) [ 100 + (i mod 20_000); 50 + (i mod 7); 1 ])
    done;
    Writer.close w;
    let r, found = events filename in
    is_int (List.length found) 30_000 "thirty thousand allocations";
    ok
      (List.for_all
         (fun (time, (event : Event.t)) ->
           let i = Int64.to_int time in
           match event with
           | Alloc a ->
             a.backtrace_buffer
             = Array.map code [| 1; 50 + (i mod 7); 100 + (i mod 20_000) |]
           | _ -> false)
         found)
      "... each with its stack";
    ok
      (List.for_all
         (fun n -> Reader.lookup_location_code r (code n) = locations (code n))
         (List.init 19_000 (fun i -> i + 150)))
      "... each code with its location")

let test_domains () =
  in_temporary_file (fun filename ->
    let file = Unix.openfile filename [ O_RDWR ] 0o600 in
    let module M = Writer.Multiplexed_domains in
    let m = M.create file ~getpid:(fun () -> 77L) info in
    let alloc n i : Event.t =
      Alloc
        { obj_id = M.next_alloc_id m ~domain:(domain n)
        ; length = i
        ; domain = domain n
        ; nsamples = 1
        ; source = Minor
        ; backtrace_buffer = [| code 1; code 2; code 9 |]
        ; backtrace_length = 2
        ; common_prefix = 0
        }
    in
    let sent = ref [] in
    let put us event =
      sent := (us, event) :: !sent;
      M.put_event m ~decode_callstack_entry:locations (after us) event
    in
    for i = 1 to 50 do
      put (Int64.of_int i) (alloc (i mod 4) i)
    done;
    (match List.nth !sent 10 with
     | _, Alloc a ->
       put 60L (Promote (a.obj_id, domain 1));
       put 61L (Collect (a.obj_id, domain 2))
     | _ -> ());
    M.flush m;
    let r, found = events filename in
    ignore r;
    let key (us, (event : Event.t)) =
      match event with
      | Alloc a -> us, (a.obj_id :> int), (a.domain :> int), a.length
      | Promote (id, d) -> us, (id :> int), (d :> int), -1
      | Collect (id, d) -> us, (id :> int), (d :> int), -2
    in
    ok (List.map key found = List.map key (List.rev !sent)) "several domains by one writer, in order";
    let ids = List.filter_map (function _, Event.Alloc a -> Some a.obj_id | _ -> None) found in
    is_int (List.length (List.sort_uniq compare ids)) 50 "ids differ between domains";
    let other = Writer.for_domain (create filename) ~domain:(domain 9) in
    is_int (Writer.domain other :> int) 9 "a writer for another domain")

let test_raw () =
  in_temporary_file (fun filename ->
    let w = create filename in
    let callstack = Printexc.get_callstack 100 in
    let put = Writer.put_alloc_with_suffix_of_raw_backtrace w ~nsamples:1 ~source:Minor ~callstack in
    ignore (Writer.put_alloc_with_raw_backtrace w (after 1L) ~length:1 ~nsamples:1 ~source:Minor ~callstack);
    ignore (put (after 2L) ~length:2 ~drop_slots:1);
    ignore (put (after 3L) ~length:3 ~drop_slots:1000);
    Writer.close w;
    let _, found = events filename in
    let n = Printexc.raw_backtrace_length callstack in
    let lengths =
      List.map
        (function
          | _, Event.Alloc a -> a.backtrace_length
          | _ -> -1)
        found
    in
    is (fun l -> String.concat " " (List.map string_of_int l)) lengths [ n; n - 1; 0 ] "raw backtraces, and without their first slots")

let test_pid () =
  in_temporary_file (fun filename ->
    let pid = ref 77L in
    let file = Unix.openfile filename [ O_RDWR ] 0o600 in
    let w = Writer.create file ~getpid:(fun () -> !pid) info in
    ignore (put w [ 1 ]);
    pid := 78L;
    raises (fun () -> put w [ 1 ]) (( = ) Writer.Pid_changed) "another process writes nothing";
    raises (fun () -> Writer.flush w) (( = ) Writer.Pid_changed) "... at no time")

let write_file filename text =
  let channel = open_out_bin filename in
  output_string channel text;
  close_out channel

let read_file filename =
  let channel = open_in_bin filename in
  let text = really_input_string channel (in_channel_length channel) in
  close_in channel;
  text

let test_damage () =
  in_temporary_file (fun filename ->
    let failure = function Failure _ -> true | _ -> false in
    write_file filename "this is a text";
    raises (fun () -> Reader.open_ ~filename) failure "a text is no trace";
    write_file filename "";
    raises (fun () -> Reader.open_ ~filename) failure "neither is an empty file";
    let w = create filename in
    for i = 1 to 5_000 do
      ignore (put w ~us:(Int64.of_int i) [ 100 + i; 1 ])
    done;
    Writer.close w;
    let whole = read_file filename in
    write_file filename (String.sub whole 0 (String.length whole - 10));
    let _, found = events filename in
    ok (List.length found > 1000 && List.length found <= 5000) "a trace that is cut ends where it is cut";
    let broken = Bytes.of_string whole in
    Bytes.set broken 400 'x';
    Bytes.fill broken 20_000 3_000 '\255';
    write_file filename (Bytes.to_string broken);
    (match events filename with
     | _ -> ok true "damage is survived or told"
     | exception Failure _ -> ok true "damage is survived or told"))

let test_compressed () =
  in_temporary_file (fun filename ->
    let w = create filename in
    ignore (put w [ 2; 1 ]);
    Writer.close w;
    let packed = filename ^ ".gz" in
    if Sys.command (Printf.sprintf "gzip -c %s > %s" filename packed) = 0
    then (
      let r, found = events packed in
      is_int (List.length found) 1 "a trace compressed by gzip";
      Reader.close r);
    Sys.remove packed)

let test_sampler () =
  let module G = Memtrace.Geometric_sampler in
  let draws t = List.init 50_000 (fun _ -> G.draw t) in
  let a = draws (G.make ~sampling_rate:0.01 ()) in
  let t = G.make ~sampling_rate:0.01 () in
  ok (draws (G.copy t) = a) "the sampler's default numbers are the same each time";
  let mean = float_of_int (List.fold_left ( + ) 0 a) /. 50_000. in
  ok (mean > 97. && mean < 103.) "their mean is 1 / rate";
  ok (List.for_all (fun k -> k >= 1) a) "each is at least 1";
  let ones = draws (G.make ~sampling_rate:1. ()) in
  ok (List.for_all (( = ) 1) ones) "at rate 1 each is 1"

let () =
  test_round_trip ();
  test_many_codes ();
  test_domains ();
  test_raw ();
  test_pid ();
  test_damage ();
  test_compressed ();
  test_sampler ();
  finish ()
