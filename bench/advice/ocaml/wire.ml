(* Numbers of eight bytes read from a message. *)
module Reader = struct
  type t = { data : Bytes.t; mutable at : int }

  let u64 r =
    let n = Bytes.get_int64_le r.data r.at in (* here: boxed-integers *)
    r.at <- r.at + 8;
    n (* here: boxed-integers *)
  [@@inline never]
end

let message = Bytes.init 512 (fun i -> Char.chr (i land 255))

let sum () =
  let r = { Reader.data = message; at = 0 } in
  let total = ref 0 in
  while r.at < Bytes.length message do
    total := !total + (Int64.to_int (Reader.u64 r) land 0xffff)
  done;
  !total

let () =
  let n = ref 0 in
  for _ = 1 to 2_500 do
    n := !n + sum ()
  done;
  print_int !n
