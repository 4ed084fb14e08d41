(* Statistics of a window, returned together. *)
module Window = struct
  type t = { data : int array; size : int }

  let summary w ~at =
    let rec go i total largest = (* here: closures *)
      if i = w.size then (total, largest, total / w.size) (* here: tuples *)
      else
        let v = w.data.((at + i) mod Array.length w.data) in
        go (i + 1) (total + v) (if v > largest then v else largest)
    in
    go 0 0 min_int
end

let () =
  let w = { Window.data = Array.init 256 (fun i -> i * 37 mod 101); size = 6 } in
  let all = ref 0 in
  for at = 1 to 60_000 do
    let total, largest, mean = Window.summary w ~at in
    all := !all + total - largest + mean
  done;
  print_int !all
