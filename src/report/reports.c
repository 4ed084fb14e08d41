#include "report/reports.h"

#include "report/advice.h"
#include "report/check.h"
#include "report/context.h"
#include "report/diff.h"
#include "report/head.h"
#include "report/hotspots.h"
#include "report/leaks.h"
#include "report/list.h"
#include "report/memtracer.h"
#include "report/stats.h"
#include "report/tags.h"
#include "report/timeline.h"
#include "report/top.h"
#include "report/traces.h"
#include "report/tree.h"
#include "report/types.h"

const struct report_entry *report_entry_at(size_t number)
{
    static const struct report_entry entries[] = {
        {.name = "The head of each", report_head_tables},
        {.name = "advice", advice_tables},
        {.name = "check", check_tables},
        {.name = "diff", diff_tables},
        {.name = "hotspots", hotspots_tables},
        {.name = "leaks", leaks_tables},
        {.name = "tags", tags_tables},
        {"top", top_tables, "functions by what they allocate, themselves and through others",
         "Lists the functions that allocate most in TRACE, or weigh most in a pprof profile.\v"
         "flat is what a function allocates itself, cum what comes through it, once per stack however often it "
         "recurs. Functions whose cum is less than half a percent are left out.",
         REPORT_TAKES_NODES | REPORT_TAKES_UNITS, top_put},
        {"types", types_tables, "what is allocated by type, or by size",
         "Lists the types whose blocks take most in TRACE: of a guest language, where the trace has types, else classes "
         "of sizes, each up to a power of two.\v"
         "LIVE is what is alive at the end, KEPT its part of what was allocated.",
         REPORT_NEEDS_BLOCKS | REPORT_FOLDS_BLOCKS | REPORT_TAKES_COUNT | REPORT_ONLY_FILTER,
         types_put},
        {.name = "list", list_tables},
        {.name = "memtracer", memtracer_tables},
        {.name = "peek, tree --context", context_tables},
        {.name = "stats", stats_tables},
        {.name = "timeline", timeline_tables},
        {.name = "traces", traces_tables},
        {.name = "tree, callers, callees", tree_tables},
    };
    return number < sizeof entries / sizeof entries[0] ? &entries[number] : NULL;
}
