(* Weekly sums, by rows that are cut out of a year. *)
let year = Array.init 364 (fun i -> i * 7 mod 31)

let week k = Array.sub year (7 * k) 7 [@@inline never] (* here: copies *)

let () =
  let n = ref 0 in
  for turn = 1 to 1_000 do
    for k = 0 to 51 do
      n := !n + (Array.fold_left ( + ) 0 (week k) mod turn) (* here: copies *)
    done
  done;
  print_int !n
