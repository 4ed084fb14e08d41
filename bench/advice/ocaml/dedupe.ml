(* Pairs seen before are skipped. *)
module Seen = struct
  let table : (int * string, unit) Hashtbl.t = Hashtbl.create 97
  let key id name = (id, name) [@@inline never] (* here: tuples *)

  let check id name =
    let k = key id name in
    if Hashtbl.mem table k then false
    else begin
      Hashtbl.add table k ();
      true
    end
end

let names = [| "x"; "y"; "z" |]

let () =
  let fresh = ref 0 in
  for i = 1 to 100_000 do
    if Seen.check (i mod 30) names.(i mod 3) then incr fresh
  done;
  print_int !fresh
