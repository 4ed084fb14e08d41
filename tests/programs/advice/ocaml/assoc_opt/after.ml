let table = Hashtbl.create 1000

let () =
  for i = 0 to 999 do
    Hashtbl.replace table i (i * 2)
  done

let () =
  let sum = ref 0 in
  for i = 1 to 200_000 do
    match Hashtbl.find table (i land 1023) with
    | n -> sum := !sum + n
    | exception Not_found -> ()
  done;
  print_int !sum
