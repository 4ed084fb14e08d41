(* A look-up whose answer is an option that is taken apart at once. *)
let table = Hashtbl.create 1000

let () =
  for i = 0 to 999 do
    Hashtbl.replace table i (i * 2)
  done

let () =
  let sum = ref 0 in
  for i = 1 to 200_000 do
    match Hashtbl.find_opt table (i land 1023) with (* here: options *)
    | Some n -> sum := !sum + n
    | None -> ()
  done;
  print_int !sum
