#include "viewer/answer_views.h"

#include <float.h>
#include <string.h>

#include "analyze/branches.h"
#include "analyze/comparison.h"
#include "base/error.h"
#include "viewer/answer_time.h"
#include "viewer/answer_tree.h"

enum { TREE_DEPTH_MAX = 2000 };

static bool is_named(void *context, const char *name)
{
    return strcmp(name, context) == 0;
}

/* Against a base, the tree is one of both files' stacks. */
static bool put_tree(struct json *json, const struct viewer_request *request,
                     const struct report *report)
{
    struct branches branches;
    const struct comparison *both = report->both;
    struct branch_options options = {.grain = report->options->grain,
                                     .weight = report->weight,
                                     .outward = request->reverse,
                                     .merge_recursion = request->merge_recursion,
                                     .has_marks = true,
                                     .is_root = *request->function ? is_named : NULL,
                                     .root_context = (void *)request->function,
                                     .least = DBL_TRUE_MIN,
                                     .limit = request->nodes,
                                     .max_depth = TREE_DEPTH_MAX};
    if (!branches_init(&branches, both ? &both->now : &report->selection.profile,
                       both ? &both->before : NULL,
                       both ? &both->frames : &report->selection.frames, &options))
        return false;
    bool done = answer_put_tree(json, &branches, both);
    branches_release(&branches);
    return done;
}

/* `end` of a timeline is that of the run where the request says none; a base's is of the same times. */
static bool put_series(struct json *json, const struct viewer_request *request,
                       const struct report *report, int64_t end)
{
    struct series series;
    if (!series_init_steps(&series, &report->matcher, request->from_us, end, request->steps))
        return false;
    answer_put_series(json, &series);
    series_release(&series);
    return true;
}

static bool put_spread(struct json *json, const struct viewer_request *request,
                       const struct report *report, int64_t end)
{
    struct distributions distributions;
    (void)request, (void)end;
    if (!distributions_init(&distributions, &report->matcher, report->what.quantity))
        return false;
    answer_put_distributions(json, &distributions, report->input.model);
    distributions_release(&distributions);
    return true;
}

static enum viewer_verdict verdict_of(bool done)
{
    return done ? VIEWER_FINE : VIEWER_NO_MEMORY;
}

enum viewer_verdict answer_view_put(struct json *json, const struct viewer_request *request,
                                    const struct report *report, struct heaptap_error *error)
{
    bool is_timeline = request->subject == VIEWER_TIMELINE;
    bool (*put)(struct json *, const struct viewer_request *, const struct report *, int64_t) =
        is_timeline ? put_series : put_spread;
    int64_t end = request->to_us ? request->to_us : report->input.model->end_us + 1;
    if (request->subject == VIEWER_TREE)
        return verdict_of(put_tree(json, request, report));
    if (is_timeline && request->from_us >= end) {
        error_set(error, HEAPTAP_BAD_ARGUMENT, "'from' has to be before 'to'");
        return VIEWER_BAD_REQUEST;
    }
    bool done = put(json, request, report, end);
    if (done && report->base) {
        json_key(json, "base");
        json_begin_object(json);
        done = put(json, request, report->base, end);
        json_end(json);
    }
    return verdict_of(done);
}
