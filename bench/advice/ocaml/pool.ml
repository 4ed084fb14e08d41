(* Buffers of one size, each for one message. *)
let encode n =
  let bytes = Bytes.create 128 in (* here: scratch-arrays *)
  Bytes.fill bytes 0 128 (Char.chr (n land 127));
  Bytes.set_uint16_le bytes 0 n;
  Char.code (Bytes.get bytes 1) + Bytes.length bytes

let () =
  let n = ref 0 in
  for i = 1 to 30_000 do
    n := !n + encode (i land 0xffff)
  done;
  print_int !n
