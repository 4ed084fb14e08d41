let () =
  try Memtrace.trace_if_requested () with
  | Invalid_argument message -> prerr_endline ("heaptap: " ^ message)
