(* Pairs as the keys of a table: each look-up makes one. *)
let table = Hashtbl.create 100_000

let () =
  for x = 0 to 99 do
    for y = 0 to 99 do
      Hashtbl.replace table ((x * 1024) + y) (x + y)
    done
  done

let pairs = Hashtbl.create 100_000
let () = Hashtbl.iter (fun key sum -> Hashtbl.replace pairs (key / 1024, key land 1023) sum) table

let () =
  let sum = ref 0 in
  for i = 1 to 200_000 do
    sum := !sum + Hashtbl.find pairs (i mod 100, i / 100 mod 100) (* here: tuples *)
  done;
  print_int !sum
