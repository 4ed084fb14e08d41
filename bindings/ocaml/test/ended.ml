(* Domains that end while their blocks are young: the main domain promotes these, and ends them. *)
let shelf : int array list list Atomic.t = Atomic.make []

let rec put blocks =
  let before = Atomic.get shelf in
  if not (Atomic.compare_and_set shelf before (blocks :: before)) then put blocks

let fill length () = put (List.init 3000 (fun i -> Array.make (length + (i land 3)) i))

let () =
  Memtrace.trace_if_requested ();
  List.iter Domain.join (List.map (fun length -> Domain.spawn (fill length)) [ 11; 31; 51 ]);
  Gc.full_major ();
  fill 5 ();
  Atomic.set shelf [];
  Gc.full_major ()
