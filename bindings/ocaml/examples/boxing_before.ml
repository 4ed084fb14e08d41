(* A rolling checksum over 2 MB, with a 64-bit state that goes through a
   function argument and a record: each step makes a box of three words. *)
type state =
  { mutable hash : int64
  ; mutable bytes : int64
  }

let prime = 0x100000001b3L

let[@inline never] mix hash byte =
  Int64.mul (Int64.logxor hash (Int64.of_int byte)) prime

let step state c =
  state.hash <- mix state.hash (Char.code c);
  state.bytes <- Int64.succ state.bytes

let checksum text =
  let state = { hash = 0xcbf29ce484222325L; bytes = 0L } in
  String.iter (step state) text;
  state.hash, state.bytes

let () =
  Memtrace.trace_if_requested ();
  let text = String.init 2_000_000 (fun i -> Char.chr (i * 7 land 255)) in
  let hash, bytes = checksum text in
  Printf.printf "%Lx of %Ld bytes\n" hash bytes
