(* What is in a trace, for tests to look at. *)
open Memtrace.Trace

type t =
  { allocs : (int, Event.t) Hashtbl.t  (** by block id *)
  ; promoted : (int, int) Hashtbl.t  (** by block id, the domain *)
  ; collected : (int, int) Hashtbl.t
  ; born : (int, int64) Hashtbl.t  (** by block id, the time *)
  ; later : (int * int64, unit) Hashtbl.t  (** promotions and ends *)
  ; mutable order : string list  (** what is wrong with the order of events *)
  ; info : Info.t
  ; reader : Reader.t
  }

let complain t fmt = Printf.ksprintf (fun s -> t.order <- s :: t.order) fmt

let copy : Event.t -> Event.t = function
  | Alloc a ->
    Alloc
      { a with
        backtrace_buffer = Array.sub a.backtrace_buffer 0 a.backtrace_length
      }
  | event -> event

let add t last time (event : Event.t) =
  let domain = (Event.domain event :> int) in
  let before = Option.value (Hashtbl.find_opt last domain) ~default:0L in
  let now = Timedelta.to_int64 time in
  if now < before then complain t "time goes back on domain %d" domain;
  Hashtbl.replace last domain now;
  match event with
  | Alloc a ->
    let id = (a.obj_id :> int) in
    if Hashtbl.mem t.allocs id then complain t "block %d twice" id;
    Hashtbl.replace t.born id now;
    Hashtbl.replace t.allocs id (copy event)
  | Promote (id, domain) ->
    let id = (id :> int) in
    Hashtbl.replace t.later (id, now) ();
    if Hashtbl.mem t.promoted id then complain t "block %d promoted twice" id;
    Hashtbl.replace t.promoted id (domain :> int)
  | Collect (id, domain) ->
    let id = (id :> int) in
    Hashtbl.replace t.later (id, now) ();
    if Hashtbl.mem t.collected id then complain t "block %d ended twice" id;
    Hashtbl.replace t.collected id (domain :> int)

let check_known t what table =
  Hashtbl.iter
    (fun id _ ->
      if not (Hashtbl.mem t.allocs id) then complain t "block %d %s unborn" id what)
    table

(* Events of several domains are put in order by their times. *)
let check_times t =
  Hashtbl.iter
    (fun (id, time) () ->
      match Hashtbl.find_opt t.born id with
      | Some born when born > time ->
        complain t "block %d has an event %Ld us before it is born" id (Int64.sub born time)
      | _ -> ())
    t.later

let read filename =
  let reader = Reader.open_ ~filename in
  let t =
    { allocs = Hashtbl.create 1000
    ; promoted = Hashtbl.create 100
    ; collected = Hashtbl.create 100
    ; born = Hashtbl.create 1000
    ; later = Hashtbl.create 1000
    ; order = []
    ; info = Reader.info reader
    ; reader
    }
  in
  let last = Hashtbl.create 8 in
  Reader.iter reader (add t last);
  check_known t "promoted" t.promoted;
  check_known t "collected" t.collected;
  check_times t;
  t

let frames t (event : Event.t) =
  match event with
  | Alloc a ->
    Array.to_list a.backtrace_buffer
    |> List.concat_map (Reader.lookup_location_code t.reader)
    |> List.map (fun (l : Location.t) -> l.defname)
  | _ -> []

let ends_with suffix text =
  let n = String.length suffix and m = String.length text in
  m >= n && String.sub text (m - n) n = suffix

(* Is a function whose name ends so on the stack? *)
let inside t name event = List.exists (ends_with name) (frames t event)

let select t keep =
  Hashtbl.fold
    (fun id event found -> if keep event then (id, event) :: found else found)
    t.allocs
    []

(* The blocks of [length] words, allocated below a function. *)
let blocks t ?below length =
  select t (function
    | Alloc a as event ->
      a.length = length
      && (match below with
          | None -> true
          | Some name -> inside t name event)
    | _ -> false)

let count t ?below length = List.length (blocks t ?below length)
let ended t blocks = List.filter (fun (id, _) -> Hashtbl.mem t.collected id) blocks
let promoted t blocks = List.filter (fun (id, _) -> Hashtbl.mem t.promoted id) blocks
