(* A search whose result is looked at once. *)
let table = Array.init 64 (fun i -> i * 3)

let[@inline never] find i =
  if i land 63 = 63 then None
  else Some table.(i land 63) (* here: options *)

let () =
  let sum = ref 0 in
  for i = 1 to 100_000 do
    match find i with
    | Some x -> sum := !sum + x
    | None -> ()
  done;
  print_int !sum
