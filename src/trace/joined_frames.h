/* The modules and frames of several traces, as those of one (join.h). */
#ifndef TRACE_JOINED_FRAMES_H
#define TRACE_JOINED_FRAMES_H

#include "trace/reader.h"

/* A module of one of the traces, and where it is in the joined one. */
struct joined_module {
    uint64_t start, size, epoch;
    uint64_t code; /* of its first byte in the joined trace, with the epoch there */
};

/* What is known of one of the traces. */
struct joined_part {
    const struct heaptap_reader *reader;
    struct joined_module *modules;
    size_t module_count, module_capacity;
    struct map types; /* codes that stand for types */
    uint32_t *frames; /* by its frame: the joined one's, UINT32_MAX while it hasn't been met */
    size_t frame_capacity, frame_count;
};

struct joined_frames {
    struct heaptap_reader *joined;
    struct map by_text; /* frames outside of modules: a hash of their description -> frame */
    struct map types;   /* codes that have a record as types */
    struct map unmet;   /* types that no frame stands for, by their names, hashed */
    uint64_t next;      /* addresses from here on are free */
};

void joined_frames_init(struct joined_frames *frames, struct heaptap_reader *joined);
void joined_frames_release(struct joined_frames *frames);

/* All modules of a trace, which it has told from the start, become modules of the joined one; times are moved by `later_us`.  All parts
 * are added before any frame is asked for.  False when there is no memory. */
bool joined_part_add(struct joined_frames *frames, struct joined_part *part, int64_t later_us);
void joined_part_release(struct joined_part *part);

/* The joined frame for one of the part's; UINT32_MAX when there is no memory. */
uint32_t joined_frame_new(struct joined_frames *frames, struct joined_part *part, uint32_t frame);

static inline uint32_t joined_frame(struct joined_frames *frames, struct joined_part *part,
                                    uint32_t frame)
{
    uint32_t known = frame < part->frame_count ? part->frames[frame] : UINT32_MAX;
    return known != UINT32_MAX ? known : joined_frame_new(frames, part, frame);
}

/* Once the part has been read: names that came after the frames that they are of, and the types of its frames, for which a record is
 * made in the joined trace.  False when there is no memory. */
bool joined_part_finish(struct joined_frames *frames, struct joined_part *part);

#endif
