(* Ways through a grid, which differ by the weather. *)
type weather = { wind : int; rain : int }

let known : (int * int * weather, int) Hashtbl.t = Hashtbl.create 1000

let rec ways x y weather =
  if x = 0 || y = 0 then 1
  else
    match Hashtbl.find known (x, y, weather) with
    | ways -> ways
    | exception Not_found ->
        let found = (ways (x - 1) y weather + ways x (y - 1) weather + weather.wind) mod 1000003 in
        Hashtbl.add known (x, y, weather) found;
        found

let day number = { wind = number mod 17; rain = number }

let () =
  let sum = ref 0 in
  for number = 0 to 199 do
    sum := (!sum + ways 16 16 (day number)) mod 1000003
  done;
  print_int !sum
