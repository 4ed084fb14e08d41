(* The points of a Julia set. *)
let c = { Complex.re = -0.4; im = 0.6 }

let steps z =
  let z = ref z and n = ref 0 in
  while !n < 50 && Complex.norm2 !z < 4.0 do (* also: boxed-floats *) (* also: float-returned *)
    z := Complex.add (Complex.mul !z !z) c; (* here: records *)
    incr n
  done;
  !n

let () =
  let total = ref 0 in
  for y = 0 to 59 do
    for x = 0 to 59 do
      total := !total + steps { Complex.re = float_of_int (x - 30) /. 20.0; im = float_of_int (y - 30) /. 20.0 }
    done
  done;
  print_int !total
