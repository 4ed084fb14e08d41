(* Is killed while several domains allocate blocks, which each counts in a file that outlives it. *)
let domains = 4

let counters =
  let file = Unix.openfile "counter" Unix.[ O_CREAT; O_RDWR; O_TRUNC ] 0o600 in
  let map = Unix.map_file file Bigarray.int64 Bigarray.c_layout true [| domains |] in
  Unix.close file;
  Bigarray.array1_of_genarray map

let[@inline never] counted i =
  ignore (Sys.opaque_identity (Array.make 64 0));
  counters.{i} <- Int64.succ counters.{i}

let rec work i =
  counted i;
  if i > 0 || Array.exists (fun i -> counters.{i} < 3000L) (Array.init domains Fun.id) then work i

let () =
  Memtrace.trace_if_requested ();
  for i = 1 to domains - 1 do
    ignore (Domain.spawn (fun () -> work i))
  done;
  work 0;
  Unix.kill (Unix.getpid ()) Sys.sigkill
