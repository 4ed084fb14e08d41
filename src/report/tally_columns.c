#include "report/tally_columns.h"

#define GETTER(name, expression)                                                                   \
    struct answer_value tally_column_##name(const void *row, const void *context)                  \
    {                                                                                              \
        const struct tally_row *of = row;                                                          \
        const struct estimate *estimate = ((const struct tally_rows *)context)->estimate;          \
        (void)estimate;                                                                            \
        return expression;                                                                         \
    }

static struct answer_value estimated(double number, struct estimate_range range)
{
    return (struct answer_value){.is_known = true, .number = number, .range = range};
}

GETTER(bytes, answer_number(stack_tally_bytes(of->tally, estimate)))
GETTER(objects, answer_number(stack_tally_objects(of->tally, estimate)))
GETTER(bounded_bytes, estimated(stack_tally_bytes(of->tally, estimate),
                                stack_tally_bytes_range(of->tally, estimate)))
GETTER(bounded_objects, estimated(stack_tally_objects(of->tally, estimate),
                                  stack_tally_objects_range(of->tally, estimate)))
