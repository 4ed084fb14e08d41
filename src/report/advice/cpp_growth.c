#include "report/advice/cpp_growth.h"

#include <math.h>

/* A block and the one that replaces it: vectors double, and the primes that libstdc++ takes for its hash tables are a bit farther apart. */
static const double vector_factor = 2, table_factor = 2.1;

/* Containers that grow beside each other replace blocks that are not the last of their stack, of which evidence_unreplaced knows nothing.
 * But all blocks are larger by the factor than the ones they replace, but for the first, of the smallest size. */
static double keeps_of(const struct evidence *evidence, double factor)
{
    const struct site *figures = evidence->figures;
    double replaced = (figures->bytes - figures->smallest_sum) / factor;
    return fmin(evidence_unreplaced(evidence), figures->bytes - replaced);
}

/* ---- Vectors ----------------------------------------------------------------------------- */

/* resize() and insert() of several elements: they take as much as is asked for, where that is more than twice the block before. */
static const char *const sized[] = {"::_M_default_append", "::_M_range_insert", "::_M_fill_insert",
                                    NULL};

bool cpp_is_vector_growth(const struct evidence *evidence)
{
    static const char *const single[] = {"::_M_realloc_insert", "::_M_realloc_append",
                                         "::__push_back_slow_path", "::__emplace_back_slow_path",
                                         NULL};
    return evidence_has_call(evidence, "std::vector") &&
           (evidence_has_call_of(evidence, single) || evidence_has_call_of(evidence, sized));
}

double cpp_keeps_of_vector(const struct evidence *evidence)
{
    return evidence_has_call_of(evidence, sized) ? evidence_unreplaced(evidence)
                                                 : keeps_of(evidence, vector_factor);
}

/* Do vectors that are full go on from blocks of this size, about as many as there are? */
static bool goes_on(const struct site *grown, uint64_t size, double count)
{
    static const double part = 0.5;
    double first =
        grown->smallest_bytes > 0 ? grown->smallest_sum / (double)grown->smallest_bytes : 0;
    return (double)grown->smallest_bytes == vector_factor * (double)size && first >= part * count;
}

bool cpp_is_small_reserve(const struct evidence *evidence)
{
    const struct sites *sites = evidence->sites;
    const struct site *figures = evidence->figures;
    if (!evidence_has_call(evidence, "std::vector::reserve"))
        return false;
    for (size_t i = 0; i < sites->origin_count; i++) {
        const struct origin *origin = &sites->origins[i];
        if (!goes_on(&origin->figures, figures->common_bytes, figures->common_objects))
            continue;
        struct evidence other = evidence_of(sites, origin, NULL);
        if (cpp_is_vector_growth(&other))
            return true;
    }
    return false;
}

/* ---- Hash tables ------------------------------------------------------------------------- */

bool cpp_is_rehash(const struct evidence *evidence)
{
    static const char *const asked[] = {"::reserve", "::rehash", NULL};
    return evidence_has_call(evidence, "::_M_rehash") &&
           evidence_has_call(evidence, "::_M_allocate_buckets") &&
           !evidence_has_call_of(evidence, asked);
}

double cpp_keeps_of_table(const struct evidence *evidence)
{
    return keeps_of(evidence, table_factor);
}

const struct advice_example *cpp_table_example(const struct evidence *evidence)
{
    static const struct advice_example map = {"std::unordered_map<int, int> table;",
                                              "std::unordered_map<int, int> table; "
                                              "table.reserve(n);"},
                                       set = {"std::unordered_set<int> seen;",
                                              "std::unordered_set<int> seen; seen.reserve(n);"};
    return evidence_has_call(evidence, "set::") ? &set : &map;
}
