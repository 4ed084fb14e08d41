(* A visitor object is made for each document. *)
type node = Text of string | Bold of node list

class virtual visitor =
  object (self)
    method virtual text : string -> unit
    method node n = match n with Text t -> self#text t | Bold l -> List.iter self#node l (* here: closures here: partial-application *)
  end

let length doc =
  let v =
    object (* also: objects *)
      inherit visitor
      val mutable sum = 0
      method sum = sum
      method text t = sum <- sum + String.length t
    end
  in
  v#node doc;
  v#sum

let doc = Bold [ Text "a word"; Bold [ Text "b" ]; Text "end" ]

let () =
  let n = ref 0 in
  for _ = 1 to 60_000 do
    n := !n + length doc
  done;
  print_int !n
