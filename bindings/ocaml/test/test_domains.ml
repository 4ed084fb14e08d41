(* Tracing several domains of OCaml 5. *)
open Tap

let traced f =
  let filename = Filename.temp_file "heaptap" ".ctf" in
  Fun.protect ~finally:(fun () -> Sys.remove filename) (fun () ->
    let tracer =
      Memtrace.start_tracing ~context:None ~sampling_rate:1. ~filename
    in
    f tracer;
    Memtrace.stop_tracing tracer;
    Events.read filename)

let in_order (t : Events.t) name =
  ok (t.order = []) name;
  List.iteri (fun i s -> if i < 5 then print_endline ("# " ^ s)) t.order

let domains_of (t : Events.t) blocks =
  List.sort_uniq
    compare
    (List.map
       (fun (_, e) -> (Memtrace.Trace.Event.domain e :> int))
       blocks)
  |> fun list ->
  ignore t;
  list

let blocks_each = 2000

(* Arrays of a length of the domain's own, handed to whoever takes them. *)
let shelf : int array list Atomic.t = Atomic.make []

let rec put x =
  let before = Atomic.get shelf in
  if not (Atomic.compare_and_set shelf before (x :: before)) then put x

let rec take () =
  match Atomic.get shelf with
  | [] -> ()
  | _ :: rest as before ->
    if not (Atomic.compare_and_set shelf before rest) then take ()

let work length () =
  for i = 1 to blocks_each do
    put (Array.make length i);
    if i mod 2 = 0 then take ();
    if i mod 500 = 0 then Gc.minor ()
  done

(* Four domains at once; each promotes and frees what others made. *)
let test_sharing () =
  let t =
    traced (fun _ ->
      let domains = List.init 3 (fun i -> Domain.spawn (work (21 + i))) in
      work 20 ();
      List.iter Domain.join domains;
      Atomic.set shelf [];
      Gc.full_major ();
      Gc.full_major ())
  in
  in_order t "four domains: each block once, in order within and between domains";
  let of_domain i = Events.blocks t (20 + i) in
  for i = 0 to 3 do
    let blocks = of_domain i in
    is_int
      (List.length blocks)
      blocks_each
      (Printf.sprintf "domain %d: all its blocks" i);
    is_int
      (List.length (domains_of t blocks))
      1
      "... in one stream";
    is_int (List.length (Events.ended t blocks)) blocks_each "... and all ended"
  done;
  let all = List.concat_map of_domain [ 0; 1; 2; 3 ] in
  is_int (List.length (domains_of t all)) 4 "four streams";
  ok (List.length (Events.promoted t all) > 0) "blocks were promoted";
  let elsewhere =
    List.filter
      (fun (id, e) ->
        Hashtbl.find_opt t.collected id
        <> Some (Memtrace.Trace.Event.domain e :> int))
      all
  in
  ok
    (elsewhere <> [])
    "blocks of domains that ended are followed to their end by others"

(* More domains than are ever alive at a time: their places are used again. *)
let test_many () =
  let generations = 60 in
  let t =
    traced (fun _ ->
      for i = 1 to generations do
        Domain.join
          (Domain.spawn (fun () ->
             ignore (Sys.opaque_identity (Array.make (100 + i) 0))))
      done;
      Gc.full_major ())
  in
  in_order t "sixty domains, one after another: in order";
  let blocks = List.init generations (fun i -> Events.blocks t (101 + i)) in
  ok (List.for_all (fun b -> List.length b = 1) blocks) "each left its block";
  is_int
    (List.length (domains_of t (List.concat blocks)))
    generations
    "each has a stream of its own"

(* Children of children are traced, with their threads. *)
let test_nested () =
  let rec nest depth () =
    ignore (Sys.opaque_identity (Array.make (300 + depth) 0));
    if depth < 4
    then Domain.join (Domain.spawn (nest (depth + 1)))
    else (
      let thread () = ignore (Sys.opaque_identity (Array.make 400 0)) in
      List.iter Thread.join (List.init 3 (fun _ -> Thread.create thread ())))
  in
  let t = traced (fun _ -> nest 0 ()) in
  in_order t "domains that spawn domains: in order";
  for depth = 0 to 4 do
    is_int (Events.count t (300 + depth)) 1 (Printf.sprintf "depth %d" depth)
  done;
  is_int (Events.count t 400) 3 "threads of the innermost"

(* The end comes from one domain, while others allocate. *)
let test_stop_from_elsewhere () =
  let filename = Filename.temp_file "heaptap" ".ctf" in
  for _ = 1 to 10 do
    let tracer =
      Memtrace.start_tracing ~context:None ~sampling_rate:1. ~filename
    in
    let go_on = Atomic.make true in
    let busy () =
      while Atomic.get go_on do
        ignore (Sys.opaque_identity (Array.make 9 0))
      done
    in
    let domains = List.init 2 (fun _ -> Domain.spawn busy) in
    Domain.join (Domain.spawn (fun () -> Memtrace.stop_tracing tracer));
    Atomic.set go_on false;
    List.iter Domain.join domains
  done;
  let t = Events.read filename in
  Sys.remove filename;
  in_order t "stopped by another domain, ten times: the last trace is whole";
  ok (not (Memtrace.currently_tracing ())) "... and nothing is traced"

(* A domain that was there before is not traced, but sees that others are. *)
let test_earlier () =
  let step = Atomic.make 0 in
  let wait n = while Atomic.get step < n do Domain.cpu_relax () done in
  let earlier =
    Domain.spawn (fun () ->
      wait 1;
      ignore (Sys.opaque_identity (Array.make 501 0));
      let tracing = Memtrace.currently_tracing () in
      Atomic.set step 2;
      tracing)
  in
  let t =
    traced (fun _ ->
      Atomic.set step 1;
      wait 2;
      ok (Domain.join earlier) "a domain from before sees that a trace is recorded")
  in
  is_int (Events.count t 501) 0 "... but is not part of it"

(* External blocks, allocated by one domain and freed by another. *)
let test_external () =
  let module E = Memtrace.External in
  let t =
    traced (fun _ ->
      let tokens =
        Domain.join
          (Domain.spawn (fun () -> List.init 100 (fun _ -> E.alloc ~bytes:4800)))
      in
      List.iter
        (function
          | Memtrace__.Or_null.This token -> E.free token
          | Null -> ())
        tokens)
  in
  in_order t "external blocks between domains: in order";
  let blocks = Events.blocks t 600 in
  is_int (List.length blocks) 100 "all of them";
  is_int (List.length (Events.ended t blocks)) 100 "... and their ends"

let () =
  test_sharing ();
  test_many ();
  test_nested ();
  test_stop_from_elsewhere ();
  test_earlier ();
  test_external ();
  finish ()
