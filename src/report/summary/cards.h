/* Cards: the few questions that everybody asks of a recording, each with its figure, and the line of the user's own code that has
 * most of it.
 *
 * A card is a question of the report `hotspots`: what it says is what that report says of the file with the card's sample type and
 * the clause that it adds to the filter.  With a base there is one more, `changed`: what the file has less what the base has, of the
 * report's own values or of the measure that `compare` takes, and the function that differs most, whatever its file is called in either. */
#ifndef REPORT_SUMMARY_CARDS_H
#define REPORT_SUMMARY_CARDS_H

#include "report/change/budget.h"
#include "report/change/difference.h"
#include "report/sites/hot_sites.h"
#include "report/report.h"

struct card_kind {
    const char *name;   /* "peak" */
    const char *title;  /* "Peak" */
    const char *sample; /* "inuse_space"; NULL: the file's own */
    const char *clause; /* added to the filter; "" for none; CARD_SHORT_LIVES */
    enum {
        CURVE_NONE,
        CURVE_LIVE,
        CURVE_ALLOCATED
    } curve; /* which of those over time is the card's */
};

/* In place of a clause: cards_short_lives. */
#define CARD_SHORT_LIVES "lifetime"

enum { CARDS_CLAUSE_BYTES = 64 };

/* The clause for what died within model_short_life_us. */
const char *cards_short_lives(char text[CARDS_CLAUSE_BYTES], const struct model *model);

struct card {
    const struct card_kind *kind;
    char *clause;                /* as it is typed; "" for none */
    struct question question;    /* the report's, with the card's sample */
    struct report report;        /* what is asked, selected */
    enum budget_measure measure; /* of a change */
    bool borrows;                /* its selection is that of the report that it is a card of */
    struct hotspots spots;       /* by line */
    double value;
    struct estimate_range range;
    const struct symbol *symbol;     /* of the heaviest line; NULL where there is none, ... */
    const struct hotspot *site;      /* ... which is this one, unless the card is of a change */
    double share;                    /* of the value, that the line has */
    struct model *difference;        /* of a change; owned; else NULL */
    struct difference_table changes; /* of that, by a function's name, ... */
    struct difference_table files;   /* ... and by function in its file */
    struct hotspot_caller caller;    /* the nearest that says something of it, of most of it */
    bool has_caller;
};

enum { CARDS_MAX = 5 };

struct cards {
    struct card items[CARDS_MAX];
    size_t count;
};

/* Of a report by site that has its selection; borrowed, and so is its input.  Without stacks, selections of cards have their totals
 * alone, and callers of other sites can't be asked for.  False when there is no memory; then there is nothing
 * to release. */
bool cards_init(struct cards *cards, const struct report *report, bool with_stacks);
void cards_release(struct cards *cards);

/* Is it of memory that was allocated or is in use, and not of what a profile has values of else? */
bool cards_are_of_memory(const struct card *card);

#endif
