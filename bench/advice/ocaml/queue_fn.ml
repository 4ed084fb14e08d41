(* A queue of two lists, turned over when it is empty. *)
type 'a queue = { front : 'a list; back : 'a list }

let push x q = { q with back = x :: q.back } (* here: record-copies *)

let rec pop q =
  match q.front with
  | x :: front -> Some (x, { q with front }) (* here: tuples here: options here: record-copies *)
  | [] -> if q.back = [] then None else pop { front = List.rev q.back; back = [] } (* also: records also: list-temporaries *)

let () =
  let q = ref { front = []; back = [] } and n = ref 0 in
  for i = 1 to 60_000 do
    q := push i !q;
    if i land 3 = 0 then
      for _ = 1 to 4 do
        match pop !q with
        | Some (x, rest) -> n := !n + x; q := rest
        | None -> ()
      done
  done;
  print_int !n
