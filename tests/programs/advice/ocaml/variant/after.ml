type token = Number | Name | End

let start = ref 0
let stop = ref 0

let[@inline never] next i =
  if i = 0 then End
  else if i land 1 = 0 then begin
    start := i;
    Number
  end
  else begin
    start := i;
    stop := i + 1;
    Name
  end

let () =
  let sum = ref 0 in
  for i = 1 to 100_000 do
    match next i with
    | Number -> sum := !sum + !start
    | Name -> sum := !sum + !start - !stop
    | End -> ()
  done;
  print_int !sum
