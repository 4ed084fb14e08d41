(* A line for each event, in a format. *)
type level = Debug | Info

let out = Buffer.create 65536

module Log = struct
  let level = function Debug -> "debug" | Info -> "info"

  let write l fmt =
    Buffer.clear out;
    Printf.bprintf out "[%s] " (level l); (* here: formats *)
    Printf.bprintf out fmt (* here: formats *)
end

let () =
  for i = 1 to 10_000 do
    Log.write (if i land 1 = 0 then Debug else Info) "step %d of %d\n" i 10_000 (* here: formats *)
  done;
  print_int (Buffer.length out)
