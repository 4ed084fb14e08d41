(* Getters and setters of fields, as records of functions. *)
type ('a, 'b) lens = { get : 'a -> 'b; set : 'b -> 'a -> 'a }
type point = { x : int; y : int }

let x = { get = (fun p -> p.x); set = (fun x p -> { p with x }) } (* here: record-copies *)
let over l f p = l.set (f (l.get p)) p [@@inline never]

let () =
  let p = ref { x = 0; y = 3 } in
  for i = 1 to 100_000 do
    p := over x (fun v -> v + i) !p (* here: closures *)
  done;
  print_int (!p.x + !p.y)
