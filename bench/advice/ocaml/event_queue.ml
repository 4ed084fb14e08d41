(* Events in time, in a heap of records. *)
type event = { time : int; kind : int; who : int }

let heap = Array.make 1024 { time = 0; kind = 0; who = 0 }
let size = ref 0

let push e =
  let i = ref !size in
  incr size;
  while !i > 0 && heap.((!i - 1) / 2).time > e.time do
    heap.(!i) <- heap.((!i - 1) / 2);
    i := (!i - 1) / 2
  done;
  heap.(!i) <- e

let pop () =
  let top = heap.(0) in
  decr size;
  let last = heap.(!size) in
  let i = ref 0 and go = ref true in
  while !go do
    let c = (2 * !i) + 1 in
    if c >= !size then go := false
    else begin
      let c = if c + 1 < !size && heap.(c + 1).time < heap.(c).time then c + 1 else c in
      if heap.(c).time < last.time then begin heap.(!i) <- heap.(c); i := c end else go := false
    end
  done;
  heap.(!i) <- last;
  top

let () =
  let n = ref 0 in
  for who = 1 to 8 do push { time = who; kind = 0; who } done;
  for _ = 1 to 150_000 do
    let e = pop () in
    n := !n + e.kind;
    push (* here: records *)
      { time = e.time + 1 + (e.who land 3); (* here: records *)
        kind = 1 - e.kind;
        who = e.who }
  done;
  print_int !n
