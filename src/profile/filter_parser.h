/* What the parser of filters (filter.c) and that of the clauses' values (filter_clause_value.c) share. */
#ifndef PROFILE_FILTER_PARSER_H
#define PROFILE_FILTER_PARSER_H

#include "profile/filter.h"

enum filter_operator {
    OPERATOR_EQUAL,
    OPERATOR_UNEQUAL,
    OPERATOR_LESS,
    OPERATOR_AT_MOST,
    OPERATOR_GREATER,
    OPERATOR_AT_LEAST,
    OPERATOR_NONE
};

/* What is being parsed. */
struct filter_parser {
    struct filter *filter;
    const char *text, *at;
    const char *word, *word_end;   /* of the clause in hand */
    const char *value, *value_end; /* as it stands in the text, quotes included */
    char *copy;                    /* the value without quotes, malloc'ed */
    size_t size;
    enum filter_operator operator;
    size_t focus_count;
    size_t *length;
    struct heaptap_error *error;
};

/* Says what is wrong with the bytes from `from` to `to` of the text.  Returns HEAPTAP_BAD_ARGUMENT. */
enum heaptap_status filter_wrong(struct filter_parser *parser, const char *from, const char *to,
                                 const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Reads the value that has been taken into the clause, whose word and operator are known. */
enum heaptap_status filter_parse_value(struct filter_parser *parser, struct filter_clause *clause);

#endif
