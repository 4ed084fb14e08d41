(* Shapes with a method for their area. *)
let square side =
  object (* here: objects *)
    method area = side * side
    method name = "square"
  end

let () =
  let all = ref 0 in
  for i = 1 to 30_000 do
    all := !all + (square (i mod 100))#area
  done;
  print_int !all
