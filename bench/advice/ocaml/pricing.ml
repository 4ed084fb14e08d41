(* Rules for prices as modules, made for each order. *)
module type RULE = sig
  val price : int -> int
end

let apply (module Rule : RULE) amount = Rule.price amount [@@inline never]

let cost percent amount =
  let module Percent = struct (* here: modules here: closures *)
    let price amount = amount * (100 - percent) / 100 (* here: closures *)
  end in
  apply (module Percent) amount

let () =
  let all = ref 0 in
  for i = 1 to 50_000 do
    all := !all + cost (i mod 30) i
  done;
  print_int !all
