(* Sorting takes a list and makes one: there is no step between. *)
let numbers = List.init 2000 (fun i -> i * 7919 mod 2003)

let () =
  let sum = ref 0 in
  for i = 1 to 20 do
    sum := !sum + (numbers |> List.sort (fun a b -> compare (a lxor i : int) (b lxor i)) |> function x :: _ -> x | [] -> 0)
  done;
  print_int !sum
