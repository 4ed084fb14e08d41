#include "report/tally_columns.h"

#define GETTER(name, expression)                                                                   \
    ANSWER_SHARED_GET(tally_column_##name, const struct tally_row *of = row,                       \
                      const struct estimate *estimate =                                            \
                          ((const struct tally_rows *)context)->estimate,                          \
                      expression)

GETTER(objects, answer_number(stack_tally_objects(of->tally, estimate)))
GETTER(bounded_bytes, answer_estimate(stack_tally_bytes(of->tally, estimate),
                                      stack_tally_bytes_range(of->tally, estimate)))
GETTER(bounded_objects, answer_estimate(stack_tally_objects(of->tally, estimate),
                                        stack_tally_objects_range(of->tally, estimate)))
