(* Sets by an order that is given: the library's functor is applied for each call. *)
let[@inline never] distinct order (numbers : int list) =
  let module Numbers =
    Set.Make (struct (* here: functor-applications *)
      type t = int

      let compare = order
    end)
  in
  Numbers.cardinal (Numbers.of_list numbers)

let () =
  let count = ref 0 in
  for i = 1 to 2_000 do
    count := !count + distinct compare [ i land 7; i land 3 ]
  done;
  print_int !count
