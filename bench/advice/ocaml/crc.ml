(* CRC-32, by the usual table. *)
let table =
  Array.init 256 (fun n ->
      let c = ref (Int32.of_int n) in
      for _ = 0 to 7 do
        c :=
          if Int32.logand !c 1l <> 0l then Int32.logxor 0xedb88320l (Int32.shift_right_logical !c 1)
          else Int32.shift_right_logical !c 1
      done;
      !c)

let rec update crc text i =
  if i = String.length text then crc
  else
    let at = (Int32.to_int crc lxor Char.code text.[i]) land 0xff in
    update (Int32.logxor table.(at) (Int32.shift_right_logical crc 8)) text (i + 1) (* here: boxed-integers *)

let () =
  let text = String.init 200 (fun i -> Char.chr (i land 255)) in
  let all = ref 0l in
  for _ = 1 to 400 do
    all := Int32.logxor !all (Int32.lognot (update (-1l) text 0))
  done;
  Printf.printf "%lx\n" !all
