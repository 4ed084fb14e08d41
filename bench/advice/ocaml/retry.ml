(* Work that may fail, with the reason. *)
exception Failed of { code : int; after : int }

let work i = if i mod 3 = 0 then raise (Failed { code = i land 7; after = i }) else i (* here: exceptions *)

let attempt i = try work i with Failed { code; _ } -> -code

let () =
  let n = ref 0 in
  for i = 1 to 120_000 do
    n := !n + attempt i
  done;
  print_int !n
