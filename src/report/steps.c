#include "report/steps.h"

#include <stddef.h>

#include "base/affix.h"
#include "report/reports.h"

const struct report_step report_steps[] = {
    {"summary", "cards", STEP_SOURCE, NULL, NULL, "the lines of the first place"},
    {"summary", NULL, STEP_ASK, "hotspots", "live-at=peak", "what the peak is made of"},
    {"summary", NULL, STEP_ASK, "leaks", NULL, "what is left at the end"},
    {"summary", NULL, STEP_ASK, "advice", NULL, "why places allocate, and what usually helps"},
    {"summary", NULL, STEP_VIEW, "view", NULL, "in the browser"},
    {"info", NULL, STEP_VIEW, "view", NULL, "in the browser"},
    {"info", NULL, STEP_ASK, "hotspots", NULL, "which places allocate most"},
    {"info", NULL, STEP_ASK, "leaks", NULL, "what is left at the end"},
    {"info", NULL, STEP_ASK, "advice", NULL, "why places allocate, and what usually helps"},
    {"hotspots", "sites", STEP_SOURCE, NULL, NULL, "the lines of the heaviest place"},
    {"hotspots", "sites", STEP_ASK, "callers", NULL, "who makes it allocate"},
    {"hotspots", NULL, STEP_ASK, "advice", NULL, "why the places allocate, and what usually helps"},
    {"top", "nodes", STEP_SOURCE, NULL, NULL, "the lines of the heaviest function"},
    {"top", "nodes", STEP_ASK, "peek", NULL, "its callers and callees"},
    {"tree", NULL, STEP_ASK, "hotspots", NULL, "the places at the ends of the tree"},
    {"callers", NULL, STEP_ASK, "advice", NULL, "why the places allocate, and what usually helps"},
    {"callees", NULL, STEP_ASK, "hotspots", NULL, "the places that allocate"},
    {"peek", NULL, STEP_ASK, "hotspots", NULL, "the places that allocate"},
    {"list", NULL, STEP_ASK, "advice", NULL, "why the places allocate, and what usually helps"},
    {"graph", "nodes", STEP_ASK, "peek", NULL, "the callers and callees of the first function"},
    {"types", NULL, STEP_ASK, "hotspots", NULL, "the places that allocate them"},
    {"traces", NULL, STEP_ASK, "hotspots", NULL, "the same by place"},
    {"leaks", "sites", STEP_SOURCE, NULL, NULL, "the lines of the place that keeps most"},
    {"leaks", "sites", STEP_ASK, "timeline", "focus", "does it grow all the time?"},
    {"leaks", NULL, STEP_ASK, "advice", NULL, "what grows all the time, and why"},
    {"advice", "points", STEP_SOURCE, NULL, NULL, "the lines that the first point is about"},
    {"advice", NULL, STEP_COMPARE, NULL, NULL,
     "once a line is changed and the program recorded again"},
    {"timeline", NULL, STEP_ASK, "hotspots", "live-at=peak", "what the peak is made of"},
    {"stats", NULL, STEP_ASK, "types", NULL, "what is allocated by type or size"},
    {"compare", "rows", STEP_SOURCE, NULL, NULL, "the lines of what changed most"},
    {"memtracer", NULL, STEP_ASK, "advice", NULL, "why lines allocate, and what usually helps"},
    {"memtracer", NULL, STEP_ASK, "leaks", NULL, "what is left at the end"},
    {NULL},
};

bool report_step_needs_blocks(const struct report_step *step)
{
    const struct report_entry *entry = step->report ? report_entry_find(step->report) : NULL;
    return (entry && entry->traits & REPORT_NEEDS_BLOCKS) ||
           (step->clause && begins_with(step->clause, "live-at"));
}
