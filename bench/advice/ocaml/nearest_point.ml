(* Which of a few towns is nearest to each of many points. *)
type town = { name : string; x : float; y : float }

let towns =
  [| { name = "Ulm"; x = 48.4; y = 9.99 }; { name = "Jena"; x = 50.9; y = 11.6 }; { name = "Bonn"; x = 50.7; y = 7.1 } |]

let distance town x y =
  if x = town.x && y = town.y then 0.
  else
    let dx = town.x -. x and dy = (town.y -. y) *. cos (town.x /. 57.3) in
    let square = (dx *. dx) +. (dy *. dy) in
    sqrt square *. 111.2 (* here: float-returned *)
[@@inline never]

let () =
  let near = Array.make 3 0 in
  for i = 0 to 40_000 do
    let x = 47. +. (float_of_int (i mod 70) /. 10.) and y = 6. +. (float_of_int (i mod 90) /. 10.) in (* here: boxed-floats *)
    let best = ref 0 in
    for t = 1 to 2 do
      if distance towns.(t) x y < distance towns.(!best) x y then best := t
    done;
    near.(!best) <- near.(!best) + 1
  done;
  Array.iteri (fun t n -> Printf.printf "%s %d\n" towns.(t).name n) near
