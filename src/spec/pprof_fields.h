/* Field numbers of pprof's messages, as in the format's own description (profile.proto), for what
 * writes profiles and for what reads them. */
#ifndef SPEC_PPROF_FIELDS_H
#define SPEC_PPROF_FIELDS_H

#include <stdint.h>

enum {
    PROFILE_SAMPLE_TYPE = 1,
    PROFILE_SAMPLE = 2,
    PROFILE_MAPPING = 3,
    PROFILE_LOCATION = 4,
    PROFILE_FUNCTION = 5,
    PROFILE_STRING = 6,
    PROFILE_DROP_FRAMES = 7,
    PROFILE_KEEP_FRAMES = 8,
    PROFILE_TIME = 9,
    PROFILE_DURATION = 10,
    PROFILE_PERIOD_TYPE = 11,
    PROFILE_PERIOD = 12,
    PROFILE_COMMENT = 13,
    PROFILE_DEFAULT_TYPE = 14,
    PROFILE_DOC_URL = 15,
    PROFILE_FIELDS = 16, /* one more than the highest */

    TYPE_NAME = 1,
    TYPE_UNIT = 2,

    SAMPLE_LOCATION = 1,
    SAMPLE_VALUE = 2,
    SAMPLE_LABEL = 3,

    LABEL_KEY = 1,
    LABEL_TEXT = 2,
    LABEL_NUMBER = 3,
    LABEL_UNIT = 4,

    MAPPING_ID = 1,
    MAPPING_START = 2,
    MAPPING_LIMIT = 3,
    MAPPING_OFFSET = 4,
    MAPPING_FILE = 5,
    MAPPING_BUILD_ID = 6,
    MAPPING_HAS_FUNCTIONS = 7,
    MAPPING_HAS_FILES = 8,
    MAPPING_HAS_LINES = 9,
    MAPPING_HAS_INLINES = 10,

    LOCATION_ID = 1,
    LOCATION_MAPPING = 2,
    LOCATION_ADDRESS = 3,
    LOCATION_LINE = 4,
    LOCATION_IS_FOLDED = 5,

    LINE_FUNCTION = 1,
    LINE_LINE = 2,

    FUNCTION_ID = 1,
    FUNCTION_NAME = 2,
    FUNCTION_SYSTEM_NAME = 3,
    FUNCTION_FILE = 4,
    FUNCTION_START_LINE = 5,
};

/* The sample types of our profiles, in their order: -mean divides by the first, and readers that show
 * one without asking which take the last, which has to be bytes. */
enum {
    PPROF_ALLOC_OBJECTS,
    PPROF_ALLOC_SPACE,
    PPROF_INUSE_OBJECTS,
    PPROF_INUSE_SPACE,
    PPROF_LIFETIME,
    PPROF_PROMOTED_OBJECTS,
    PPROF_PROMOTED_SPACE,
    PPROF_VALUES,
};

/* How comments begin. */
#define PPROF_PID "pid: "             /* of the process */
#define PPROF_RECORDING "recording: " /* the process number of the `heaptap record` that it is of */
#define PPROF_LANGUAGE "language: "   /* of an interpreter, whose heap was recorded */
#define PPROF_ENDED_EARLY "recording ended early: " /* why */
#define PPROF_DROPPED                                                                              \
    "samples that are missing, as they had to be dropped: " /* how many, for lack of memory */
#define PPROF_CUT "the trace is cut or damaged: figures are those up to there"
#define PPROF_UNFINISHED "the process was still running when this was written"
#define PPROF_MADE_OF_PART "it was made of a file that lacks a part of what the program did"

static const char *const pprof_value_names[PPROF_VALUES] = {
    "alloc_objects", "alloc_space",      "inuse_objects",  "inuse_space",
    "lifetime",      "promoted_objects", "promoted_space",
};

/* Those that are counted alike, in objects; the bytes of each are the next one. */
enum { PPROF_COUNTED = 3 };
static const int pprof_counted[PPROF_COUNTED] = {PPROF_ALLOC_OBJECTS, PPROF_INUSE_OBJECTS,
                                                 PPROF_PROMOTED_OBJECTS};

static inline int pprof_is_bytes(int type)
{
    return type == PPROF_ALLOC_SPACE || type == PPROF_INUSE_SPACE || type == PPROF_PROMOTED_SPACE;
}

/* Units of a lifetime, each with how many go into a microsecond: the first with which the sum over
 * all samples stays below PPROF_VALUE_MAX. */
enum { PPROF_TIME_UNITS = 4 };

static const struct {
    const char *name;
    double per_us;
} pprof_time_units[PPROF_TIME_UNITS] = {
    {"nanoseconds", 1e3}, {"microseconds", 1}, {"milliseconds", 1e-3}, {"seconds", 1e-6}};

#define PPROF_VALUE_MAX 0x1p62

/* The whole number for an estimate; `*carry` is what rounding has left over so far, so that the sum
 * of many is right to within one half. */
static inline uint64_t pprof_round(double value, double *carry)
{
    if (!(value < PPROF_VALUE_MAX))
        return UINT64_C(1) << 62;
    double wanted = value + *carry + 0.5;
    uint64_t rounded = wanted > 0 ? (uint64_t)wanted : 0;
    *carry += value - (double)rounded;
    return rounded;
}

#endif
