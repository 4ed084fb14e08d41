(* Elements of an array that is known to be of floats, given to a function. *)
let samples = Array.init 400 (fun i -> float_of_int i /. 100.)
let loud x = x *. x > 4. [@@inline never]

let () =
  let count = ref 0 in
  for _ = 1 to 200 do
    for i = 0 to Array.length samples - 1 do
      if loud samples.(i) then incr count (* here: boxed-floats *)
    done
  done;
  print_int !count
