let[@inline] area w h =
  if w < 0 || h < 0 then invalid_arg "area: a side is negative";
  float_of_int w *. float_of_int h

let () =
  let sum = ref 0. in
  for i = 1 to 100_000 do
    sum := !sum +. area i 2
  done;
  print_float !sum
