/* As pprof does it: an expression matches a whole name, of which arguments in parentheses have been
 * cut off.  A stack loses the outermost such function and what that calls; but not before its first
 * frame that stays, so that something is left. */
#include "profile/list/prune.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/pattern.h"

/* The name without the arguments of its function: "f(int)" is f, "operator()(int)" is operator().
 */
static size_t simple_size(const char *name)
{
    static const char *const reserved[] = {"(anonymous namespace)", "operator()"};
    for (const char *at = name; *at; at++) {
        size_t skip = 0;
        for (int i = 0; i < 2; i++)
            if (strncmp(at, reserved[i], strlen(reserved[i])) == 0)
                skip = strlen(reserved[i]);
        if (skip > 0)
            at += skip - 1;
        else if (*at == '(')
            return (size_t)(at - name);
    }
    return strlen(name);
}

static bool matches(struct pattern *pattern, const char *name)
{
    char simple[512];
    name += *name == '.';
    size_t size = simple_size(name);
    if (!pattern || size >= sizeof simple)
        return false;
    memcpy(simple, name, size);
    simple[size] = 0;
    return pattern_matches(pattern, simple);
}

/* ^(TEXT)$; NULL where there is none. */
static struct pattern *whole_pattern(const char *text)
{
    char message[128], *anchored = NULL;
    size_t offset;
    int size = *text ? asprintf(&anchored, "^(%s)$", text) : -1;
    struct pattern *pattern =
        size > 0 ? pattern_new(anchored, (size_t)size, message, sizeof message, &offset) : NULL;
    if (size > 0)
        free(anchored);
    return pattern;
}

/* How many lines of a location stay: those outside the outermost one that matches. */
static uint32_t lines_left(const struct model *model, const struct model_frame *location,
                           struct pattern *drop, struct pattern *keep)
{
    for (uint32_t i = 0; i < location->line_count; i++) {
        const char *name = model->lines[location->first_line + i].function;
        if (*name && matches(drop, name) && !matches(keep, name))
            return i;
    }
    return location->line_count;
}

bool profile_prune_init(struct profile_prune *prune, const struct model *model)
{
    *prune = (struct profile_prune){0};
    struct pattern *drop = whole_pattern(model->file->drop_frames);
    if (!drop)
        return true;
    struct pattern *keep = whole_pattern(model->file->keep_frames);
    prune->line_count = malloc((model->frame_count + 1) * sizeof *prune->line_count);
    for (size_t i = 0; prune->line_count && i < model->frame_count; i++)
        prune->line_count[i] = lines_left(model, &model->frames[i], drop, keep);
    pattern_free(drop);
    pattern_free(keep);
    return prune->line_count;
}

void profile_prune_release(struct profile_prune *prune)
{
    free(prune->line_count);
    *prune = (struct profile_prune){0};
}

size_t profile_prune_frames(const struct profile_prune *prune, const struct model *model,
                            size_t sample)
{
    const struct profile_file *file = model->file;
    size_t first = file->first_frame[sample];
    bool has_user = false;
    if (!prune->line_count)
        return 0;
    for (size_t i = file->first_frame[sample + 1]; i-- > first;) {
        uint32_t location = file->frames[i], left = prune->line_count[location];
        bool is_hit = left < model->frames[location].line_count;
        has_user |= !is_hit;
        if (is_hit && has_user)
            return i - first + (left == 0);
    }
    return 0;
}
