/* A trace as a command writes it: from another one, domain by domain. */
#ifndef CLI_TRACE_OUTPUT_H
#define CLI_TRACE_OUTPUT_H

#include "cli/trace_input.h"
#include "trace/output.h"

struct trace_output;

/* How the frames of the trace read appear in the one written. */
struct trace_output_names {
    uint64_t (*code)(void *context, uint32_t frame); /* of a frame, by its number in the reader */
    heaptap_describe *describe;                      /* of such a code */
    void *context;
};

enum { OUTPUT_BY_NAME = -1 };

struct trace_output_options {
    const char *path; /* "-" for standard output, which must not be a terminal */
    int encoding;     /* an enum output_encoding; OUTPUT_BY_NAME goes by the end of `path` */
    bool json;        /* tell what was written on standard output, when it is in its place */
    bool keep_order;  /* packets keep the order in which events are written, across domains too: for
                         copying in  file order.  In true order that would give a packet to nearly
                         every event */
    struct heaptap_trace_info info; /* of the trace to be written */
    const struct trace_output_names
        *names; /* NULL: the same codes and names as in the trace read */
};

/* Opens the output and writes the trace's first packet.  A file is written under another name and
 * moved into its place at the end, so it may be the very trace that is read.  Stacks are those of
 * `input`, whose reader must decode them. False with a message; `*exit_status` is set. */
bool trace_output_open(struct trace_output **output, const struct trace_output_options *options,
                       struct trace_input *input, int *exit_status);

/* Writes out what a domain of the new trace holds back: what comes next of other domains stands after it. */
void trace_output_flush(struct trace_output *output, uint16_t number);

/* Takes note of each allocation event that is read, also of those that are left out, in order:
 * stacks build on each other.  Call it before trace_output_alloc for the same event. */
void trace_output_see(struct trace_output *output, const struct heaptap_event *event);

/* For trace_output_alloc: the next free id. */
#define TRACE_OUTPUT_NEXT_ID UINT64_MAX

/* Writes an allocation to `domain` under `id`, and returns that.  The event's samples and time may
 * have been changed; `time_us` counts from the start of the written trace, here and below. */
uint64_t trace_output_alloc(struct trace_output *output, uint16_t domain, uint64_t id,
                            const struct heaptap_event *event, bool with_stack);
void trace_output_promote(struct trace_output *output, uint16_t domain, uint64_t id,
                          int64_t time_us);
void trace_output_collect(struct trace_output *output, uint16_t domain, uint64_t id,
                          int64_t time_us);

/* Takes note of an event and writes it as it is, an allocation perhaps without its stack. */
void trace_output_copy(struct trace_output *output, const struct heaptap_event *event,
                       bool with_stack);

/* The same of all events that are still to be read.  The time of the latest of them; 0 without any. */
int64_t trace_output_copy_all(struct trace_output *output, struct trace_input *input);

/* Writes that the program ended then, in microseconds since the trace's start. */
void trace_output_ended(struct trace_output *output, uint64_t time_us);

/* Writes all metadata that the trace has told so far. */
void trace_output_copy_metadata(struct trace_output *output, const struct heaptap_reader *reader);

/* When the latest event was that was written, since the start. */
int64_t trace_output_last_us(const struct trace_output *output);

/* Writes that its recording stopped, so many microseconds after the start, and why (base/stop_reason.h). */
void trace_output_stopped(struct trace_output *output, const char *reason, int64_t at_us);

/* Writes that the trace read is cut or damaged, so that this one lacks what came after its latest event.  trace_output_close does so
 * where the exit status says it. */
void trace_output_cut(struct trace_output *output);

/* Writes metadata records. */
void trace_output_metadata(struct trace_output *output, const struct heaptap_metadata *records,
                           size_t count);

/* To be called when memory ran out and something is missing: closing then fails. */
void trace_output_out_of_memory(struct trace_output *output);

/* Ends the trace and moves it into its place.  Where `*exit_status` says that the input is damaged,
 * what could be read is kept, but not in the place of the input.  False with a message when it
 * couldn't be written; `*exit_status` is set. */
bool trace_output_close(struct trace_output *output, int *exit_status);

#endif
