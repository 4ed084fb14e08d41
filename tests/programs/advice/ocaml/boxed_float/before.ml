(* The mean of many numbers, in a record that has other fields than floats. *)
type mean = { mutable count : int; mutable sum : float }

let add mean x =
  mean.count <- mean.count + 1;
  mean.sum <- mean.sum +. x (* here: boxed-floats *)

let () =
  let mean = { count = 0; sum = 0. } in
  for i = 1 to 100_000 do
    add mean (float_of_int i *. 0.5)
  done;
  Printf.printf "%f\n" (mean.sum /. float_of_int mean.count)
