(* Reads 200 000 records of a binary file, and keeps their names and texts. *)
type reader = { data : Bytes.t; mutable at : int }

let need reader size =
  if reader.at + size > Bytes.length reader.data then failwith "the file ends within a record"

let u32 reader =
  need reader 4;
  let value = Bytes.get_int32_be reader.data reader.at in
  reader.at <- reader.at + 4;
  value

let i64 reader =
  need reader 8;
  let value = Bytes.get_int64_be reader.data reader.at in
  reader.at <- reader.at + 8;
  value

type entry = { time : int; area : int; check : int; text : string }

let entry reader =
  let left = Int32.to_int (u32 reader) in
  let top = Int32.to_int (u32 reader) in
  let right = Int32.to_int (u32 reader) in
  let bottom = Int32.to_int (u32 reader) in
  let size = Int32.to_int (u32 reader) in
  let first = Int64.to_int (i64 reader) in
  let last = Int64.to_int (i64 reader) in
  let check = Int64.to_int (i64 reader) in
  let text = Bytes.sub_string reader.data reader.at size in
  { time = last - first; area = (right - left) * (bottom - top); check; text }

let file =
  let data = Bytes.make 256 'x' in
  List.iter (fun (at, value) -> Bytes.set_int32_be data at value) [ (0, 1l); (4, 2l); (8, 31l); (12, 22l); (16, 143l) ];
  List.iter (fun (at, value) -> Bytes.set_int64_be data at value) [ (20, 1000L); (28, 1007L); (36, 0x1234567L) ];
  data

let () =
  let reader = { data = file; at = 0 } in
  let next _ =
    reader.at <- 0;
    entry reader
  in
  let entries = Array.init 200_000 next in
  let sum of_entry = Array.fold_left (fun sum entry -> sum + of_entry entry) 0 entries in
  Printf.printf "%d %d %d %d\n" (sum (fun e -> e.time)) (sum (fun e -> e.area)) (sum (fun e -> e.check))
    (sum (fun e -> String.length e.text))
