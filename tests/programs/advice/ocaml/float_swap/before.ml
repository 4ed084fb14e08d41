(* A swap for arrays of any type: of an array of floats, each element that is read is boxed. *)
let swap a i j =
  let x = a.(i) in (* here: polymorphic-arrays *)
  a.(i) <- a.(j); (* also: polymorphic-arrays *)
  a.(j) <- x

let () =
  let numbers = Array.init 1000 float_of_int in
  for turn = 1 to 100 do
    for i = 0 to 499 do
      swap numbers i (999 - ((i + turn) mod 500))
    done
  done;
  print_float numbers.(7)
