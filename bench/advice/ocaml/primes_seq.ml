(* Twin primes, over sequences. *)
let is_prime n =
  let rec go d = d * d > n || (n mod d <> 0 && go (d + 1)) in (* also: closures *)
  n > 1 && go 2

let rec from n () = Seq.Cons (n, from (n + 1)) (* here: sequences here: partial-application also: variants also: closures *)

let rec take_while p s () =
  match s () with
  | Seq.Cons (x, rest) when p x -> Seq.Cons (x, take_while p rest) (* here: sequences here: partial-application also: variants also: closures *)
  | _ -> Seq.Nil

let twins limit =
  from 3
  |> take_while (fun n -> n < limit) (* here: sequences *)
  |> Seq.filter (fun n -> is_prime n && is_prime (n + 2)) (* here: sequences *)
  |> Seq.fold_left (fun n _ -> n + 1) 0 (* here: sequences *)

let () =
  let n = ref 0 in
  for i = 1 to 60 do
    n := !n + twins (300 + i)
  done;
  print_int !n
