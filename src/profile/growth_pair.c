#include "profile/growth_pair.h"

void growth_note(struct growth_sum *sum, const struct estimate *estimate, uint64_t words,
                 double bytes, uint64_t before, bool overlaps, int sign)
{
    bool is_doubled = (double)words >= (double)before * GROWTH_FACTOR;
    if (before == 0 || words <= before)
        return;
    *(is_doubled ? &sum->doublings : &sum->small_steps) += (uint64_t)sign;
    *(is_doubled ? &sum->doubled_bytes : &sum->stepped_bytes) += sign * bytes;
    sum->overlapped_bytes += overlaps ? sign * bytes : 0;
    double replaced = bytes * (double)before / (double)words;
    sum->replaced_bytes += sign * replaced;
    sum->weighed_bytes += sign * replaced / estimate_seen_chance(estimate, before);
}
