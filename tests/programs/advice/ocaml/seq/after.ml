let numbers = Array.init 1000 (fun i -> i)

let () =
  let sum = ref 0 in
  for i = 1 to 50 do
    for k = 0 to Array.length numbers - 1 do
      let x = numbers.(k) * i in
      if x land 1 = 0 then sum := !sum + x
    done
  done;
  print_int !sum
