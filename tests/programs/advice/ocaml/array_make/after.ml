let seen = Array.make 256 false

let[@inline never] distinct word =
  Array.fill seen 0 256 false;
  let count = ref 0 in
  String.iter
    (fun c ->
      if not seen.(Char.code c) then begin
        seen.(Char.code c) <- true;
        incr count
      end)
    word;
  !count

let () =
  let sum = ref 0 in
  for i = 1 to 10_000 do
    sum := !sum + distinct (if i land 1 = 0 then "mississippi" else "ohio")
  done;
  print_int !sum
