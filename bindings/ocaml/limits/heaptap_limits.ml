exception Broken of string

let () = Printexc.register_printer (function Broken message -> Some message | _ -> None)

let heaptap () =
  match Sys.getenv_opt "HEAPTAP" with
  | Some path when path <> "" -> path
  | _ -> "heaptap"

(* Every word is a sample. What is garbage already, and what becomes garbage
   in [f], is collected, so that what is left is in use. Between begin and end
   nothing is allocated here. *)
let traced ~filename f x =
  Gc.full_major ();
  let tracer = Memtrace.start_tracing ~context:None ~sampling_rate:1.0 ~filename in
  match f x with
  | result ->
    Gc.full_major ();
    Memtrace.stop_tracing tracer;
    result
  | exception error ->
    let trace = Printexc.get_raw_backtrace () in
    Memtrace.stop_tracing tracer;
    Printexc.raise_with_backtrace error trace

(* Standard output, standard error, and the exit status. *)
let run program arguments =
  let errors = Filename.temp_file "heaptap" ".txt" in
  Fun.protect
    ~finally:(fun () -> Sys.remove errors)
    (fun () ->
      let command =
        Filename.quote_command program ~stdin:"/dev/null" ~stderr:errors arguments
      in
      let channel = Unix.open_process_in command in
      let read channel =
        let buffer = Buffer.create 1024 in
        (try
           while true do
             Buffer.add_channel buffer channel 1
           done
         with End_of_file -> ());
        Buffer.contents buffer
      in
      let output = read channel in
      let status = Unix.close_process_in channel in
      let channel = open_in errors in
      let said =
        Fun.protect ~finally:(fun () -> close_in channel) (fun () -> read channel)
      in
      (output, said, status))

(* Lines are "name.ctf: allocated ...": the name says nothing. *)
let without_name name line =
  let prefix = name ^ ": " in
  let size = String.length prefix in
  if String.length line >= size && String.sub line 0 size = prefix
  then String.sub line size (String.length line - size)
  else line

let judge ~filename limits =
  let options = List.map (fun (name, limit) -> "--max-" ^ name ^ "=" ^ limit) limits in
  match run (heaptap ()) (("check" :: options) @ [ "--"; filename ]) with
  | _, _, Unix.WEXITED 0 -> ()
  | output, _, Unix.WEXITED 1 ->
    String.trim output
    |> String.split_on_char '\n'
    |> List.map (without_name (Filename.basename filename))
    |> String.concat "\n"
    |> fun message -> raise (Broken message)
  | _, said, Unix.WEXITED 127 ->
    failwith
      ("heaptap can't be run: put it on PATH, or its path into HEAPTAP: " ^ String.trim said)
  | _, said, _ -> failwith (String.trim said)

let within ?allocated ?objects ?live_at_end ?peak f x =
  let limits =
    List.filter_map
      (fun (name, limit) -> Option.map (fun limit -> (name, limit)) limit)
      [ ("allocated", allocated)
      ; ("objects", objects)
      ; ("live-at-end", live_at_end)
      ; ("peak", peak)
      ]
  in
  if limits = [] || Memtrace.currently_tracing ()
  then f x
  else (
    let filename = Filename.temp_file "heaptap" ".ctf" in
    Fun.protect
      ~finally:(fun () -> Sys.remove filename)
      (fun () ->
        let result = traced ~filename f x in
        judge ~filename limits;
        result))
