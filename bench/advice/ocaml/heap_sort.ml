(* A heap of floats, by functions for arrays of anything. *)
let swap a i j =
  let kept = a.(i) in (* here: polymorphic-arrays *)
  a.(i) <- a.(j); (* also: polymorphic-arrays *)
  a.(j) <- kept
[@@inline never]

let sort (a : float array) =
  for i = 1 to Array.length a - 1 do
    let at = ref i in
    while !at > 0 && a.(!at) < a.(!at - 1) do
      swap a !at (!at - 1);
      decr at
    done
  done

let () =
  let all = ref 0. in
  for turn = 1 to 10 do
    let a = Array.init 150 (fun i -> float_of_int (i * 7919 * turn mod 1_009)) in
    sort a;
    all := !all +. a.(0)
  done;
  Printf.printf "%f\n" !all
