module Timestamp = struct
  type t = int64

  let of_int64 t = t
  let to_int64 t = t
  let to_float t = Int64.to_float t /. 1e6
  let of_float seconds = Int64.of_float (seconds *. 1e6)
  let now () = of_float (Unix.gettimeofday ())
end

module Timedelta = struct
  type t = int64

  let to_int64 t = t
  let offset = Int64.add
end

module Location = struct
  type t =
    { filename : string
    ; line : int
    ; start_char : int
    ; end_char : int
    ; defname : string
    }

  let to_string t =
    Printf.sprintf
      "%s@%s:%d:%d-%d"
      t.defname
      t.filename
      t.line
      t.start_char
      t.end_char

  let unknown =
    { filename = "<unknown>"
    ; line = 1
    ; start_char = 1
    ; end_char = 1
    ; defname = "??"
    }
end

module Int_table = Hashtbl.MakeSeeded (struct
  type t = int

  let equal : int -> int -> bool = ( = )

  (* Ids and codes differ in their low bits, or in the middle ones. *)
  let seeded_hash _seed n =
    let n = n * 0x9e3779b97f4a7c1 in
    n lxor (n lsr 32)

  (* Its name before OCaml 5. *)
  let hash = seeded_hash [@@warning "-32"]
end)

module Obj_id = struct
  type t = int

  module Tbl = Int_table
end

module Domain_id = struct
  type t = int

  module Expert = struct
    let of_int t = t
  end

  let main_domain = 0
end

module Location_code = struct
  type t = int

  module Tbl = Int_table

  module Expert = struct
    let of_int t = t
  end
end

module Allocation_source = struct
  type t =
    | Minor
    | Major
    | External
end

module Event = struct
  type t =
    | Alloc of
        { obj_id : Obj_id.t
        ; length : int
        ; domain : Domain_id.t
        ; nsamples : int
        ; source : Allocation_source.t
        ; backtrace_buffer : Location_code.t array
        ; backtrace_length : int
        ; common_prefix : int
        }
    | Promote of Obj_id.t * Domain_id.t
    | Collect of Obj_id.t * Domain_id.t

  let domain = function
    | Alloc { domain; _ } | Promote (_, domain) | Collect (_, domain) -> domain

  let source_name : Allocation_source.t -> string = function
    | Minor -> "alloc"
    | Major -> "alloc_major"
    | External -> "alloc_ext"

  let frame_to_string locations code =
    match locations code with
    | [] -> "$" ^ string_of_int code
    | known -> String.concat " " (List.map Location.to_string known)

  let to_string locations = function
    | Promote (id, _) -> Printf.sprintf "%010d promote" id
    | Collect (id, _) -> Printf.sprintf "%010d collect" id
    | Alloc a ->
      let frame i = frame_to_string locations a.backtrace_buffer.(i) in
      Printf.sprintf
        "%010d %s %d len=%d dom=%d % 4d: %s"
        a.obj_id
        (source_name a.source)
        a.nsamples
        a.length
        a.domain
        a.common_prefix
        (String.concat " " (List.init a.backtrace_length frame))
end

module Info = struct
  type t =
    { sample_rate : float
    ; word_size : int
    ; executable_name : string
    ; host_name : string
    ; ocaml_runtime_params : string
    ; pid : Int64.t
    ; initial_domain : Domain_id.t
    ; start_time : Timestamp.t
    ; context : string option
    }
end

let obj_ids_per_chunk = Atomic.make 10_000

module Writer = struct
  (* The stream of a domain, in C (tracer.h). *)
  type stream

  external create_stream
    :  Unix.file_descr
    -> string
    -> Info.t
    -> int
    -> stream
    = "heaptap_ocaml_writer_create"

  external stream_for_domain
    :  stream
    -> int
    -> stream
    = "heaptap_ocaml_writer_for_domain"

  external flush_stream : stream -> unit = "heaptap_ocaml_writer_flush"
  external ended_stream : stream -> unit = "heaptap_ocaml_writer_ended"
  external close_stream : stream -> int = "heaptap_ocaml_writer_close"

  external raise_unix_error
    :  int
    -> 'a
    = "heaptap_ocaml_raise_unix_error"

  external next_id : stream -> int -> int = "heaptap_ocaml_writer_next_id"

  external unknown_code
    :  stream
    -> Location_code.t array
    -> int
    -> int
    = "heaptap_ocaml_writer_unknown"

  external teach
    :  stream
    -> Location_code.t
    -> Location.t list
    -> unit
    = "heaptap_ocaml_writer_teach"

  external alloc
    :  stream
    -> Timestamp.t
    -> int
    -> int
    -> Allocation_source.t
    -> Location_code.t array
    -> int
    -> int
    -> int
    = "heaptap_ocaml_writer_alloc_byte" "heaptap_ocaml_writer_alloc"

  external alloc_raw
    :  stream
    -> Timestamp.t
    -> int
    -> int
    -> Allocation_source.t
    -> Printexc.raw_backtrace
    -> int
    -> int
    = "heaptap_ocaml_writer_alloc_raw_byte" "heaptap_ocaml_writer_alloc_raw"

  external promote
    :  stream
    -> Timestamp.t
    -> Obj_id.t
    -> unit
    = "heaptap_ocaml_writer_promote"

  external collect
    :  stream
    -> Timestamp.t
    -> Obj_id.t
    -> unit
    = "heaptap_ocaml_writer_collect"

  type t =
    { stream : stream
    ; domain : Domain_id.t
    ; file : Unix.file_descr
    ; pid : int64
    ; getpid : unit -> int64
    }

  exception Pid_changed

  let pid_changed t = not (Int64.equal t.pid (t.getpid ()))
  let check_pid t = if pid_changed t then raise Pid_changed

  let create file ?getpid (info : Info.t) =
    let getpid = Option.value getpid ~default:(fun () -> info.pid) in
    let stream = create_stream file "" info 3 in
    { stream; domain = info.initial_domain; file; pid = getpid (); getpid }

  (* Version 3 of the format, which tells domains apart, is unknown to readers
     made for OCaml 4. *)
  let create_traced file ~name (info : Info.t) =
    let version = if Sys.ocaml_version < "5" then 2 else 3 in
    let getpid () = Int64.of_int (Unix.getpid ()) in
    let stream = create_stream file name info version in
    { stream; domain = info.initial_domain; file; pid = info.pid; getpid }

  let domain t = t.domain

  let for_domain t ~domain =
    check_pid t;
    { t with stream = stream_for_domain t.stream domain; domain }

  (* Longer descriptions than these, memtrace's readers don't take. *)
  let max_locations = 255
  let max_bytes = 4096

  let legible locations =
    let bytes (l : Location.t) =
      8 + String.length l.filename + String.length l.defname
    in
    let total = List.fold_left (fun n l -> n + bytes l) 9 locations in
    if List.compare_length_with locations max_locations > 0 || total > max_bytes
    then [ Location.unknown ]
    else locations

  let teach_codes t callstack decode =
    let rec go from =
      let i = unknown_code t.stream callstack from in
      if i >= 0
      then (
        teach t.stream callstack.(i) (legible (decode callstack.(i)));
        go (i + 1))
    in
    go 0

  let alloc_as t now ~length ~nsamples ~source ~callstack ~decode id =
    check_pid t;
    teach_codes t callstack decode;
    let chunk = Atomic.get obj_ids_per_chunk in
    if id < 0 then ignore (next_id t.stream chunk : int);
    alloc t.stream now length nsamples source callstack id chunk

  let put_alloc
    t
    now
    ~length
    ~nsamples
    ~source
    ~callstack
    ~decode_callstack_entry:decode
    =
    alloc_as t now ~length ~nsamples ~source ~callstack ~decode (-1)

  let put_alloc_with_suffix_of_raw_backtrace
    t
    now
    ~length
    ~nsamples
    ~source
    ~callstack
    ~drop_slots
    =
    check_pid t;
    ignore (next_id t.stream (Atomic.get obj_ids_per_chunk) : int);
    alloc_raw t.stream now length nsamples source callstack drop_slots

  let put_alloc_with_raw_backtrace = 
    put_alloc_with_suffix_of_raw_backtrace ~drop_slots:0

  let put_promote t now id =
    check_pid t;
    promote t.stream now id

  let put_collect t now id =
    check_pid t;
    collect t.stream now id

  let flush t =
    check_pid t;
    flush_stream t.stream

  (* The errno of the first failure, or 0. *)
  let finish t =
    let code = close_stream t.stream in
    (try Unix.close t.file with
     | Unix.Unix_error _ -> ());
    code

  let close t =
    check_pid t;
    let code = finish t in
    if code <> 0 then raise_unix_error code

  let put_event t ~decode_callstack_entry:decode now (event : Event.t) =
    match event with
    | Promote (id, _) -> put_promote t now id
    | Collect (id, _) -> put_collect t now id
    | Alloc a ->
      let last = a.backtrace_length - 1 in
      let callstack =
        Array.init a.backtrace_length (fun i -> a.backtrace_buffer.(last - i))
      in
      ignore
        (alloc_as
           t
           now
           ~length:a.length
           ~nsamples:a.nsamples
           ~source:a.source
           ~callstack
           ~decode
           a.obj_id
         : int)

  module Multiplexed_domains = struct
    type writer = t

    (* All writers but that of the last event's domain are flushed, so that
       events keep their order in the file. *)
    type nonrec t =
      { mutable last : writer
      ; writers : writer Int_table.t
      }

    let create file ?getpid info =
      let last = create file ?getpid info in
      let writers = Int_table.create 8 in
      Int_table.add writers last.domain last;
      { last; writers }

    let writer_of t domain =
      match Int_table.find_opt t.writers domain with
      | Some writer -> writer
      | None ->
        let writer = for_domain t.last ~domain in
        Int_table.add t.writers domain writer;
        writer

    let turn_to t domain =
      if t.last.domain <> domain
      then (
        flush t.last;
        t.last <- writer_of t domain);
      t.last

    let put_event t ~decode_callstack_entry now event =
      let writer = turn_to t (Event.domain event) in
      put_event writer ~decode_callstack_entry now event

    let next_alloc_id t ~domain =
      next_id (turn_to t domain).stream (Atomic.get obj_ids_per_chunk)

    let flush t = flush t.last
  end
end

module Reader = struct
  (* A reading of the trace, from its beginning, in C. *)
  type pass

  external open_pass
    :  Unix.file_descr
    -> bool
    -> pass
    = "heaptap_ocaml_reader_open"

  external close_pass : pass -> unit = "heaptap_ocaml_reader_close"
  external info_of : pass -> Info.t = "heaptap_ocaml_reader_info"

  external next : pass -> int array -> int = "heaptap_ocaml_reader_next"
  [@@noalloc]

  external stack
    :  pass
    -> Location_code.t array
    -> int
    -> unit
    = "heaptap_ocaml_reader_stack"
  [@@noalloc]

  external message : pass -> string = "heaptap_ocaml_reader_message"

  external locations
    :  pass
    -> Location_code.t
    -> Location.t list option
    = "heaptap_ocaml_reader_locations"

  type t =
    { file : Unix.file_descr  (** that the caller gave *)
    ; plain : Unix.file_descr  (** the same, or what was decompressed *)
    ; start : int  (** where in [plain] the trace begins *)
    ; info : Info.t
    ; mutable passes : pass list
      (** those that know codes: the last one, and the one before it *)
    ; known : Location.t list Int_table.t
    }

  let failed message = failwith ("Trace.Reader: " ^ message)

  let first_bytes file =
    let start = Unix.lseek file 0 SEEK_CUR in
    let bytes = Bytes.make 4 ' ' in
    ignore (Unix.read file bytes 0 4 : int);
    ignore (Unix.lseek file start SEEK_SET : int);
    Bytes.to_string bytes

  (* What [program] makes of the file, in a file without a name. *)
  let decompress program file =
    let name, channel = Filename.open_temp_file "heaptap" ".ctf" in
    close_out channel;
    let plain = Unix.openfile name [ O_RDWR; O_CLOEXEC ] 0o600 in
    Unix.unlink name;
    let command = [| program; "-dc" |] in
    let status =
      match Unix.create_process program command file plain Unix.stderr with
      | pid -> snd (Unix.waitpid [] pid)
      | exception Unix.Unix_error _ -> WEXITED 127
    in
    if status = WEXITED 127
    then (
      Unix.close plain;
      failed ("this is compressed, and there is no " ^ program ^ " here"));
    ignore (Unix.lseek plain 0 SEEK_SET : int);
    plain

  let plain_file file =
    match first_bytes file with
    | "\x28\xb5\x2f\xfd" -> decompress "zstd" file
    | bytes when String.sub bytes 0 2 = "\x1f\x8b" -> decompress "gzip" file
    | _ -> file

  let create file =
    let plain = plain_file file in
    let start = Unix.lseek plain 0 SEEK_CUR in
    let pass = open_pass plain true in
    let info = info_of pass in
    { file; plain; start; info; passes = [ pass ]; known = Int_table.create 64 }

  let info t = t.info

  let lookup_location_code t code =
    match Int_table.find_opt t.known code with
    | Some found -> found
    | None ->
      (match List.find_map (fun pass -> locations pass code) t.passes with
       | Some found ->
         Int_table.add t.known code found;
         found
       | None ->
         invalid_arg (Printf.sprintf "invalid location code %08x" code))

  let begin_pass t ~parse_backtraces =
    ignore (Unix.lseek t.plain t.start SEEK_SET : int);
    let pass = open_pass t.plain (not parse_backtraces) in
    (match t.passes with
     | last :: older ->
       List.iter close_pass older;
       t.passes <- [ pass; last ]
     | [] -> t.passes <- [ pass ]);
    pass

  (* Each domain has a buffer of its own, in which the common prefix of its
     previous call stack still stands. *)
  let buffer_of buffers domain length =
    match Int_table.find_opt buffers domain with
    | Some buffer when Array.length buffer >= length -> buffer, false
    | _ ->
      let buffer = Array.make (max 64 (2 * length)) 0 in
      Int_table.replace buffers domain buffer;
      buffer, true

  let source_of : int -> Allocation_source.t = function
    | 0 -> Minor
    | 1 -> Major
    | _ -> External

  (* Places in the array that [next] fills. *)
  let kind, time, id, domain, source = 0, 1, 2, 3, 4
  let length, samples, common_prefix, stack_length, shared = 5, 6, 7, 8, 9

  let event_of pass buffers (fields : int array) : Event.t =
    match fields.(kind) with
    | 0 ->
      let frames = fields.(stack_length) in
      let buffer, is_new = buffer_of buffers fields.(domain) frames in
      stack pass buffer (if is_new then 0 else fields.(shared));
      Alloc
        { obj_id = fields.(id)
        ; length = fields.(length)
        ; domain = fields.(domain)
        ; nsamples = fields.(samples)
        ; source = source_of fields.(source)
        ; backtrace_buffer = buffer
        ; backtrace_length = frames
        ; common_prefix = fields.(common_prefix)
        }
    | 1 -> Promote (fields.(id), fields.(domain))
    | _ -> Collect (fields.(id), fields.(domain))

  let iter t ?(parse_backtraces = true) f =
    let pass = begin_pass t ~parse_backtraces in
    let buffers = Int_table.create 8 in
    let fields = Array.make 10 0 in
    let rec go () =
      match next pass fields with
      | 0 ->
        let event = event_of pass buffers fields in
        f (Int64.of_int fields.(time)) event;
        go ()
      | 1 -> ()
      | 2 -> prerr_endline ("heaptap: " ^ message pass)
      | _ -> failed (message pass)
    in
    go ()

  let open_ ~filename =
    let file = Unix.openfile filename [ O_RDONLY; O_CLOEXEC ] 0 in
    try create file with
    | exn ->
      Unix.close file;
      raise exn

  let size_bytes t = (Unix.LargeFile.fstat t.file).st_size

  let close t =
    List.iter close_pass t.passes;
    t.passes <- [];
    if t.plain <> t.file then Unix.close t.plain;
    Unix.close t.file
end

module Private = struct
  let set_name_of_memprof_tracer_module (_ : string) = ()
  let obj_ids_per_chunk = obj_ids_per_chunk
  let create_traced = Writer.create_traced

  type stream = Writer.stream

  let stream (t : Writer.t) = t.stream
  let ended (t : Writer.t) = Writer.ended_stream t.stream
  let finish = Writer.finish
  let raise_unix_error = Writer.raise_unix_error
end
