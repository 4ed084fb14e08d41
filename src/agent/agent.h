/* heaptap for coding agents: the Model Context Protocol over a pair of descriptors.
 *
 * The protocol (modelcontextprotocol.io, revisions 2024-11-05 to 2025-11-25) is JSON-RPC 2.0, a message a line (agent/client.h).  A client
 * lists the tools (agent/tool.h) and calls them; here, a call becomes a heaptap command that runs as a process of its own
 * (agent/job.h), and its answer, as text or as JSON, cut to a budget, becomes the result (agent/result.h), together with what could
 * be asked next (agent/next.h).
 *
 * So an answer is the command's own, a question that is cancelled or takes too long is killed with all that it started, and one that
 * needs much memory takes it away with it.  Several run at once: serve.c waits for all of them and for the client in one poll.
 *
 * What a client may do is what the options say: files below one folder are read, and only named programs run. */
#ifndef AGENT_AGENT_H
#define AGENT_AGENT_H

#include <stddef.h>

#include "heaptap/status.h"

struct agent_options {
    const char *root;    /* the folder whose files may be read; recordings go there */
    const char *heaptap; /* the program that answers: heaptap itself */
    const char *const
        *programs; /* which may be run, as commands have to begin: a word, or several with spaces */
    size_t program_count; /* 0: none */
    size_t budget;        /* characters of a result, at most */
    long timeout;         /* seconds that a question may take */
    const char *version;  /* of heaptap, for the client */
};

/* Serves the client that writes to `in` and reads from `out` until `in` ends.  Fails when `root` is no folder, or there is no
 * memory. */
enum heaptap_status agent_serve(const struct agent_options *options, int in, int out,
                                struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* How an agent works with heaptap: skill.md. */
extern const char agent_skill[];

#endif
