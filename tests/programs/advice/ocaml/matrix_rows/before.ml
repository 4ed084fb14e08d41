(* A small matrix for each pair, on a line of its own. *)
let[@inline never] overlap a b =
  let rows = String.length a + 1 and columns = String.length b + 1 in
  let longest =
    Array.make_matrix rows columns 0 (* here: scratch-arrays *)
  in
  for i = 1 to rows - 1 do
    for j = 1 to columns - 1 do
      if a.[i - 1] = b.[j - 1] then longest.(i).(j) <- longest.(i - 1).(j - 1) + 1
    done
  done;
  longest.(rows - 1).(columns - 1)

let () =
  let sum = ref 0 in
  for i = 1 to 3_000 do
    sum := !sum + overlap "a stitch in time" (if i land 1 = 0 then "in time" else "in rhyme")
  done;
  print_int !sum
