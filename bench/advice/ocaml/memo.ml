(* Results by arguments, in a table for each run. *)
let paths width height =
  let known = Hashtbl.create 4 in (* here: hashtbl-growth *)
  let rec go x y =
    if x = 0 || y = 0 then 1
    else
      let key = (x * 1000) + y in
      match Hashtbl.find_opt known key with (* also: options *)
      | Some n -> n
      | None ->
          let n = (go (x - 1) y + go x (y - 1)) land 0xffff in
          Hashtbl.add known key n; (* here: hashtbl-growth *)
          n
  in
  go width height

let () =
  let n = ref 0 in
  for i = 1 to 40 do
    n := !n + paths (20 + (i land 7)) 24
  done;
  print_int !n
