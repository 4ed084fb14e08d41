(** Linking this library is enough: the program calls
    {!Memtrace.trace_if_requested} as it begins. Put it first in the list of
    libraries, so that what other libraries allocate as they begin is traced. A
    [MEMTRACE] or [MEMTRACE_RATE] that is wrong is told on standard error, and
    the program goes on without a trace. *)
