(* The last numbers: each lives a little longer than the minor heap does, and dies soon after; rate: 1e-4 *)
type entry = { number : int; text : string }

let window = Array.make 20_000 None

let () =
  for i = 1 to 30_000_000 do
    window.(i mod 20_000) <- Some { number = i; text = "" } (* here: promoted-dead *)
  done;
  match window.(7) with
  | Some entry -> print_int (entry.number + String.length entry.text)
  | None -> ()
