(** Gaps between the samples, when each of many words is sampled with the same
    probability.

    [draw] gives the number of words up to and including the next one that is
    sampled: at least 1, with mean [1 / sampling_rate]. For a rate p it is k
    with the probability (1 - p){^ k-1} p. *)
type t

(** [rand] is where chance comes from. By default it has a fixed seed, so that
    the gaps are the same in each run. [sampling_rate] is in (0, 1]. *)
val make : ?rand:Random.State.t -> sampling_rate:float -> unit -> t

(** The same rate with other random numbers: those of a fresh default, unless
    [rand] says which. *)
val copy : ?rand:Random.State.t -> t -> t

val draw : t -> int
