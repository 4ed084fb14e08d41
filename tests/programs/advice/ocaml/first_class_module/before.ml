(* A module packed for each call, whose function uses what is around it. *)
module type SHAPE = sig
  val area : int -> int
end

let[@inline never] measure m n =
  let module S = (val m : SHAPE) in
  S.area n + 1

let () =
  let sum = ref 0 in
  for i = 1 to 100_000 do
    let module Square = struct (* also: modules *)
      let area n = n * n * i (* here: closures *)
    end in
    sum := !sum + measure (module Square : SHAPE) 3
  done;
  print_int !sum
