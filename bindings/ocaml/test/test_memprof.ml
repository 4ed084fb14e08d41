(* A trace at rate 1 is what Gc.Memprof tells: each block, in its order, with its size and its stack, its promotion
   and its end. The same program runs twice: once its events are gathered by callbacks here, once they are traced. *)
open Tap

type block =
  { source : string
  ; length : int
  ; samples : int
  ; stack : string list  (** the outermost call first *)
  ; mutable promoted : bool
  ; mutable ended : bool
  }

let show b =
  Printf.sprintf
    "%s of %d words, %d samples,%s%s:\n#   %s"
    b.source
    b.length
    b.samples
    (if b.promoted then " promoted" else "")
    (if b.ended then " ended" else "")
    (String.concat "\n#   " b.stack)

(* The format has 8 and 10 bits for characters; bytecode has long expressions. *)
let place file line first last name =
  Printf.sprintf "%s %s:%d:%d-%d" name file line (min first 255) (min last 1023)

(* ---- What Gc.Memprof says ---- *)

let place_of_slot slot =
  match Printexc.Slot.location slot with
  | None -> None
  | Some l ->
    let name = Option.value (Printexc.Slot.name slot) ~default:"??" in
    Some (place l.filename l.line_number l.start_char l.end_char name)

let places callstack =
  match Printexc.backtrace_slots callstack with
  | None -> []
  | Some slots -> List.rev (List.filter_map place_of_slot (Array.to_list slots))

type raw =
  { info : Gc.Memprof.allocation
  ; mutable was_promoted : bool
  ; mutable has_ended : bool
  }

let gathered : raw list ref = ref []

let tracker : (raw, raw) Gc.Memprof.tracker =
  let born info =
    let raw = { info; was_promoted = false; has_ended = false } in
    gathered := raw :: !gathered;
    Some raw
  in
  let ended raw = raw.has_ended <- true in
  { alloc_minor = born
  ; alloc_major = born
  ; promote =
      (fun raw ->
        raw.was_promoted <- true;
        Some raw)
  ; dealloc_minor = ended
  ; dealloc_major = ended
  }

let source_name : Gc.Memprof.allocation_source -> string = function
  | Normal -> "heap"
  | Marshal -> "heap"
  | Custom -> "custom"

let block_of_raw { info; was_promoted; has_ended } =
  { source = source_name info.source
  ; length = info.size
  ; samples = info.n_samples
  ; stack = places info.callstack
  ; promoted = was_promoted
  ; ended = has_ended
  }

let by_memprof =
  ( (fun () ->
      ignore (Gc.Memprof.start ~sampling_rate:1. ~callstack_size:max_int tracker))
  , fun () ->
      Gc.Memprof.stop ();
      List.rev_map block_of_raw !gathered )

(* ---- What the trace says ---- *)

let blocks_of_trace filename =
  let t = Events.read filename in
  let stack (a : Memtrace.Trace.Location_code.t array) =
    Array.to_list a
    |> List.concat_map (Memtrace.Trace.Reader.lookup_location_code t.reader)
    |> List.map (fun (l : Memtrace.Trace.Location.t) ->
      place l.filename l.line l.start_char l.end_char l.defname)
  in
  let block (id, (event : Memtrace.Trace.Event.t)) =
    match event with
    | Alloc { source; length; nsamples; backtrace_buffer; _ } ->
      { source = (if source = External then "custom" else "heap")
      ; length
      ; samples = nsamples
      ; stack = stack backtrace_buffer
      ; promoted = Hashtbl.mem t.promoted id
      ; ended = Hashtbl.mem t.collected id
      }
    | _ -> assert false
  in
  Events.select t (fun _ -> true)
  |> List.sort (fun (a, _) (b, _) -> compare (a : int) b)
  |> List.map block

let by_trace =
  let filename = Filename.temp_file "heaptap" ".ctf" in
  ( (fun () ->
      ignore (Memtrace.start_tracing ~context:None ~sampling_rate:1. ~filename))
  , fun () ->
      let tracer = Memtrace.Memprof_tracer.active_tracer () in
      Option.iter Memtrace.Memprof_tracer.stop tracer;
      Fun.protect ~finally:(fun () -> Sys.remove filename) (fun () ->
        blocks_of_trace filename) )

(* ---- *)

let rec first_difference n = function
  | a :: rest_a, b :: rest_b when a = b -> first_difference (n + 1) (rest_a, rest_b)
  | [], [] -> None
  | a, b ->
    let head = function
      | [] -> "nothing"
      | x :: _ -> show x
    in
    Some (Printf.sprintf "# block %d\n# memprof: %s\n# trace:   %s" n (head a) (head b))

(* One place of call for both, so that the stacks are the same. *)
let both () =
  let ways = [| by_memprof; by_trace |] in
  let blocks = [| []; [] |] in
  for i = 0 to 1 do
    let start, finish = ways.(i) in
    Workload.state := 1;
    Gc.full_major ();
    start ();
    Workload.run ();
    blocks.(i) <- finish ()
  done;
  blocks.(0), blocks.(1)

let () =
  Gc.set { (Gc.get ()) with minor_heap_size = 1 lsl 23 };
  let a, b = both () in
  let count keep = List.length (List.filter keep a) in
  ok (List.length a > 10_000) "ten thousand blocks and more";
  ok (count (fun x -> x.promoted) > 1000) "... of which many are promoted";
  is_int (count (fun x -> not x.ended)) 0 "... and all end";
  is_int (List.length b) (List.length a) "as many are in the trace";
  let difference = first_difference 0 (a, b) in
  ok (difference = None) "the same, each with its size, samples, stack, promotion and end";
  Option.iter print_endline difference;
  finish ()
