(* A search that ends by an exception, which carries what was found. *)
exception Found of int * int

let matrix = Array.init 10 (fun i -> Array.init 10 (fun j -> i * j))

let find wanted =
  try
    Array.iteri
      (fun i row -> for j = 0 to 9 do if row.(j) = wanted then raise (Found (i, j)) done) (* here: exceptions here: closures *)
      matrix;
    -1
  with Found (i, j) -> (i * 10) + j

let () =
  let all = ref 0 in
  for i = 1 to 40_000 do
    all := !all + find (i mod 9)
  done;
  print_int !all
