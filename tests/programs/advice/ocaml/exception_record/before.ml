(* An exception whose arguments have names. *)
exception Refused of { code : int; turn : int }

let[@inline never] ask turn =
  if turn land 3 = 0 then turn else raise_notrace (Refused { code = turn land 7; turn }) (* here: exceptions *)

let () =
  let sum = ref 0 in
  for turn = 1 to 60_000 do
    match ask turn with n -> sum := !sum + n | exception Refused { code; turn } -> sum := !sum + code - turn
  done;
  print_int !sum
