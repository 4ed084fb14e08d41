(* The same: the state lives in a local reference, which the compiler keeps
   unboxed, and the count is an int. *)
let prime = 0x100000001b3L

let checksum text =
  let hash = ref 0xcbf29ce484222325L in
  for i = 0 to String.length text - 1 do
    let byte = Int64.of_int (Char.code text.[i]) in
    hash := Int64.mul (Int64.logxor !hash byte) prime
  done;
  !hash, String.length text

let () =
  Memtrace.trace_if_requested ();
  let text = String.init 2_000_000 (fun i -> Char.chr (i * 7 land 255)) in
  let hash, bytes = checksum text in
  Printf.printf "%Lx of %d bytes\n" hash bytes
