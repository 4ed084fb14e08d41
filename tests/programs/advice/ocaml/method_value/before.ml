(* A method given to a function of the library. *)
class counter =
  object (self)
    val mutable sum = 0
    method sum = sum
    method add n = sum <- sum + n
    method all numbers =
      List.iter self#add numbers (* here: closures *)
  end

let () =
  let counter = new counter and numbers = [ 1; 2; 3 ] in
  for _ = 1 to 100_000 do
    counter#all numbers
  done;
  print_int counter#sum
