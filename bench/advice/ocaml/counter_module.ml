(* A module for counting is made for each text. *)
module type COUNTER = sig
  val add : char -> unit
  val total : unit -> int
end

let make wanted : (module COUNTER) =
  (module struct (* here: modules here: escaping-refs here: closures *)
    let n = ref 0 (* here: escaping-refs *)
    let add c = if c = wanted then incr n (* here: closures *)
    let total () = !n (* here: closures *)
  end)

let count wanted text =
  let (module C) = make wanted in
  String.iter C.add text;
  C.total ()

let () =
  let all = ref 0 in
  for _ = 1 to 20_000 do
    all := !all + count 'e' "seven eleven"
  done;
  print_int !all
