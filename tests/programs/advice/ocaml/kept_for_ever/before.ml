(* A leak: what has been seen is kept in a table, and never looked at again. *)
let seen = Hashtbl.create 100_000

let[@inline never] handle i =
  let request = String.make 100 (Char.chr (32 + (i mod 90))) in (* here: growing *)
  Hashtbl.replace seen i request;
  String.length request

(* A request takes its time, beside which recording it takes little. *)
let[@inline never] work () =
  for i = 1 to 10_000 do
    ignore (Sys.opaque_identity i)
  done

let () =
  let sum = ref 0 in
  for i = 1 to 60_000 do
    work ();
    sum := !sum + handle i
  done;
  print_int (!sum + Hashtbl.length seen)
