type sum = { mutable sum : float }
type mean = { mutable count : int; sum : sum }

let add mean x =
  mean.count <- mean.count + 1;
  mean.sum.sum <- mean.sum.sum +. x

let () =
  let mean = { count = 0; sum = { sum = 0. } } in
  for i = 1 to 100_000 do
    add mean (float_of_int i *. 0.5)
  done;
  Printf.printf "%f\n" (mean.sum.sum /. float_of_int mean.count)
