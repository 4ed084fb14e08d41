(* The closest of many places, by a generic helper. *)
module Search = struct
  let argmin ~cost candidates =
    let best = ref candidates.(0) in
    let best_cost = ref (cost !best) in
    for i = 1 to Array.length candidates - 1 do
      let c = cost candidates.(i) in
      if compare c !best_cost < 0 then begin
        best := candidates.(i);
        best_cost := c
      end
    done;
    !best
end

type place = { name : string; lat : float; lon : float }

let places =
  Array.init 60 (fun i ->
      { name = "p" ^ string_of_int i; lat = float_of_int (i * 7 mod 50); lon = float_of_int (i * 11 mod 70) })

let nearest lat lon =
  Search.argmin
    ~cost:(fun p -> (* also: closures *)
      let dx = p.lat -. lat and dy = p.lon -. lon in
      sqrt ((dx *. dx) +. (dy *. dy))) (* here: float-returned here: boxed-floats *)
    places

let () =
  let n = ref 0 in
  for i = 1 to 2_000 do
    let p = nearest (float_of_int (i mod 40)) 12.5 in
    n := !n + String.length p.name
  done;
  print_int !n
