(* Allocates blocks that it counts itself, in a file that outlives it, and dies in the middle, as the first
   argument says; with the second one, some time later. *)
let counter =
  let file = Unix.openfile "counter" Unix.[ O_CREAT; O_RDWR; O_TRUNC ] 0o600 in
  let map = Unix.map_file file Bigarray.int64 Bigarray.c_layout true [| 1 |] in
  Unix.close file;
  Bigarray.array1_of_genarray map

let[@inline never] counted () =
  ignore (Sys.opaque_identity (Array.make 64 0));
  counter.{0} <- Int64.succ counter.{0}

let die how =
  let kill signal =
    Unix.kill (Unix.getpid ()) signal;
    Unix.sleepf 10.
  in
  match how with
  | "SIGKILL" -> kill Sys.sigkill
  | "SIGTERM" -> kill Sys.sigterm
  | "SIGSEGV" -> kill Sys.sigsegv
  | "abort" -> kill Sys.sigabrt
  | "_exit" -> Unix._exit 3
  | "exec" -> Unix.execv "/bin/true" [| "true" |]
  | "when told" ->
    while not (Sys.file_exists "end") do
      Unix.sleepf 0.01
    done
  | _ -> exit 3

let () =
  Memtrace.trace_if_requested ();
  let start = Unix.gettimeofday () in
  let seconds = if Array.length Sys.argv > 2 then float_of_string Sys.argv.(2) else 0. in
  let rec work n =
    counted ();
    if n < 3000 || Unix.gettimeofday () -. start < seconds
    then (
      if n > 3000 then Unix.sleepf 0.001;
      work (n + 1))
  in
  work 1;
  die Sys.argv.(1)
