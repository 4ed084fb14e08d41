(* Texts put together by a fold, over what another function makes. *)
let[@inline never] page rows =
  List.fold_left (* here: string-append *)
    (fun text row -> text ^ row)
    ""
    (List.init rows (fun i -> if i land 1 = 0 then "<" ^ "tr>" else "a cell"))

let () =
  let length = ref 0 in
  for _ = 1 to 4 do
    length := !length + String.length (page 500)
  done;
  print_int !length
