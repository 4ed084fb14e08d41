/* The bytes of a trace, wherever they come from: a file, a pipe, memory; plain, gzip or zstd. */
#ifndef TRACE_INPUT_H
#define TRACE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heaptap/status.h"

struct input;

/* The file at `path`; "-" is standard input.  To be closed. */
enum heaptap_status input_open(struct input **input, const char *path, struct heaptap_error *error);

/* Takes over `fd`, also on failure.  The first bytes show what it holds. */
enum heaptap_status input_open_fd(struct input **input, int fd, struct heaptap_error *error);

/* `data` is borrowed until the input is closed. */
enum heaptap_status input_open_memory(struct input **input, const void *data, size_t size,
                                      struct heaptap_error *error);

void input_close(struct input *input);

/* Reads up to `size` bytes, at least one unless the end has come: then `*got` is 0.  Compressed
 * data that are cut or damaged give all bytes before the damage first, then HEAPTAP_BAD_INPUT. */
enum heaptap_status input_read(struct input *input, void *to, size_t size, size_t *got,
                               struct heaptap_error *error);

enum { INPUT_PEEK_BYTES = 4096 };

/* The first bytes of an input of which nothing has been read yet, up to INPUT_PEEK_BYTES, and their
 * number (fewer where it ends, or is damaged: reading will tell).  They will be read as well. */
enum heaptap_status input_peek(struct input *input, uint8_t *to, size_t *got,
                               struct heaptap_error *error);

/* How the trace is compressed: "none", "gzip" or "zstd". */
const char *input_compression(const struct input *input);

/* How many bytes it takes as it is stored: all of a file; of a stream, those read so far. */
uint64_t input_stored_bytes(const struct input *input);

/* How many of those have been unpacked so far. */
uint64_t input_consumed_bytes(const struct input *input);

/* Can input_read_at be used?  So for plain files and memory. */
bool input_seekable(const struct input *input);

/* Reads up to `size` bytes at `offset`; fewer only at the end. */
enum heaptap_status input_read_at(struct input *input, uint64_t offset, void *to, size_t size,
                                  size_t *got, struct heaptap_error *error);

/* Copies the rest of a stream that cannot seek into an unlinked file in $TMPDIR, from which it is
 * read from then on, from byte 0.  Damage to the compressed data is reported after the last byte
 * before it, as by input_read.  `goes_on` sees the bytes as they come, and is false when nothing after
 * these will be looked at: no more is copied then, nor unpacked. */
typedef bool input_goes_on(void *context, const uint8_t *bytes, size_t size);
enum heaptap_status input_spool(struct input *input, input_goes_on *goes_on, void *context,
                                struct heaptap_error *error);

/* Of an input that can seek: it will be read from byte 0 again. */
enum heaptap_status input_rewind(struct input *input, struct heaptap_error *error);

/* Did spooling meet damage?  Then `*error` tells of it. */
bool input_late_error(const struct input *input, struct heaptap_error *error);

#endif
