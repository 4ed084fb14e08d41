(* A functor applied within a function: its module is made for each call. *)
module type ORDER = sig
  val less : int -> int -> bool
end

module Largest (Order : ORDER) = struct
  let of_three a b c =
    let two = if Order.less a b then b else a in
    if Order.less two c then c else two

  let of_two a b = if Order.less a b then b else a
end

module Up = struct
  let less (a : int) b = a < b
end

let[@inline never] largest a b c =
  let module L = Largest (Up) in (* here: functor-applications *)
  L.of_three a b c + L.of_two a b

let () =
  let sum = ref 0 in
  for i = 1 to 50_000 do
    sum := !sum + largest i (i land 7) 1000
  done;
  print_int !sum
