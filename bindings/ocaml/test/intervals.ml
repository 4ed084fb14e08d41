(* A known number of blocks of a known size, over some time. *)
let kept = ref []

let[@inline never] keep_bytes n =
  for _ = 1 to n do
    kept := Bytes.create 800 :: !kept
  done

let () =
  Memtrace.trace_if_requested ();
  for _ = 1 to 40 do
    keep_bytes 100;
    Unix.sleepf 0.03
  done
