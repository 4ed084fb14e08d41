(* Objects that are made to call one method. *)
class point x y =
  object
    method x : int = x
    method y : int = y
    method length = (x * x) + (y * y)
  end

let () =
  let sum = ref 0 in
  for i = 1 to 100_000 do
    let p = new point i 2 in (* here: objects *)
    sum := !sum + p#length
  done;
  print_int !sum
