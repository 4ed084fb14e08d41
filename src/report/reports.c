#include "report/reports.h"

#include "report/advice.h"
#include "report/context.h"
#include "report/diff.h"
#include "report/head.h"
#include "report/hotspots.h"
#include "report/leaks.h"
#include "report/tags.h"
#include "report/top.h"
#include "report/tree.h"

const struct report_entry *report_entry_at(size_t number)
{
    static const struct report_entry entries[] = {
        {"The head of each", report_head_tables},
        {"advice", advice_tables},
        {"diff", diff_tables},
        {"hotspots", hotspots_tables},
        {"leaks", leaks_tables},
        {"tags", tags_tables},
        {"top", top_tables},
        {"peek, tree --context", context_tables},
        {"tree, callers, callees", tree_tables},
    };
    return number < sizeof entries / sizeof entries[0] ? &entries[number] : NULL;
}
