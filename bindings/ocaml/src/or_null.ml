(** A value or none: what OCaml's variant with null pointers has under these
    names. *)
type 'a or_null =
  | Null
  | This of 'a
