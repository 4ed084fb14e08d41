/* An answer as a JUnit report, as servers of continuous integration read it: a suite for each file, in it a case for each test of the
 * file, or else for each limit.
 *
 * A suite says first how many of its cases failed, and a case is over when one of another name comes: so that both are
 * kept in memory until then. */
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "answer/xml.h"
#include "answer/findings.h"
#include "answer/forms.h"

/* What is being written of a suite, or of a case in it. */
struct piece {
    FILE *file; /* writes to `text`; NULL: none is open */
    char *text;
    size_t size;
};

struct counts {
    size_t cases, failures, errors;
};

struct junit_answer {
    struct answer answer; /* first: the form's functions get it */
    struct names names;
    const char *suite, *name; /* that are open */
    struct {
        enum answer_level level;
        const char *file; /* NULL: none is known */
        uint32_t line;
    } place; /* of the case that is open: that of the worst of its limits, the first of these */
    struct piece suites, cases, within;
    struct counts all, of_suite, of_case;
};

static bool open_piece(struct junit_answer *self, struct piece *piece)
{
    *piece = (struct piece){0};
    piece->file = open_memstream(&piece->text, &piece->size);
    self->answer.failed |= !piece->file;
    return piece->file;
}

/* The text, to be freed; NULL where there is none. */
static char *close_piece(struct junit_answer *self, struct piece *piece)
{
    if (!piece->file)
        return NULL;
    self->answer.failed |= fclose(piece->file) != 0;
    piece->file = NULL;
    return piece->text;
}

static void put_attribute(FILE *file, const char *name, const char *value)
{
    fprintf(file, " %s=\"", name);
    xml_put_text(file, value);
    fputc('"', file);
}

static void put_counts(FILE *file, const struct counts *counts)
{
    fprintf(file, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n", counts->cases,
            counts->failures, counts->errors);
}

static void add_counts(struct counts *to, const struct counts *from)
{
    to->cases += from->cases;
    to->failures += from->failures;
    to->errors += from->errors;
}

static void end_case(struct junit_answer *self)
{
    char *within = close_piece(self, &self->within);
    if (!within)
        return;
    fputs("    <testcase", self->cases.file);
    put_attribute(self->cases.file, "classname", self->suite);
    put_attribute(self->cases.file, "name", self->name);
    if (self->place.file)
        put_attribute(self->cases.file, "file", findings_path(self->place.file));
    if (self->place.file && self->place.line > 0)
        fprintf(self->cases.file, " line=\"%u\"", self->place.line);
    fprintf(self->cases.file, ">\n%s    </testcase>\n", within);
    free(within);
    self->of_case.failures = self->of_case.failures > 0 && self->of_case.errors == 0;
    self->of_case.errors = self->of_case.errors > 0;
    add_counts(&self->of_suite, &self->of_case);
    self->of_case = (struct counts){0};
    self->name = NULL;
}

static void end_suite(struct junit_answer *self)
{
    end_case(self);
    char *cases = close_piece(self, &self->cases);
    if (!cases)
        return;
    fputs("  <testsuite", self->suites.file);
    put_attribute(self->suites.file, "name", self->suite);
    put_counts(self->suites.file, &self->of_suite);
    fputs(cases, self->suites.file);
    fputs("  </testsuite>\n", self->suites.file);
    free(cases);
    add_counts(&self->all, &self->of_suite);
    self->of_suite = (struct counts){0};
    self->suite = NULL;
}

/* Makes the finding's case the one that is open. */
static bool begin_case(struct junit_answer *self, const struct answer_finding *finding)
{
    const char *name = finding->part    ? finding->part
                       : finding->limit ? finding->limit
                                        : finding->rule;
    if (self->suite && strcmp(self->suite, finding->subject) != 0)
        end_suite(self);
    if (!self->suite && !open_piece(self, &self->cases))
        return false;
    if (!self->suite)
        self->suite = names_copy(&self->names, finding->subject);
    if (self->name && (!finding->part || strcmp(self->name, name) != 0))
        end_case(self);
    if (self->name)
        return true;
    self->name = names_copy(&self->names, name);
    if (!self->suite || !self->name || !open_piece(self, &self->within))
        return false;
    self->of_case.cases = 1;
    self->place.file = NULL;
    return true;
}

static void take_place(struct junit_answer *self, const struct answer_finding *finding)
{
    const struct answer_spot *spot = findings_spot(finding);
    if (!spot || (self->place.file && self->place.level >= finding->level))
        return;
    self->place.level = finding->level;
    self->place.file = names_copy(&self->names, spot->file);
    self->place.line = spot->line;
}

static void find(struct answer *answer, const struct answer_finding *finding)
{
    struct junit_answer *self = (struct junit_answer *)answer;
    bool refused = finding->level == ANSWER_REFUSED;
    if (!self->suites.file || !begin_case(self, finding)) {
        answer->failed = true;
        return;
    }
    FILE *file = self->within.file;
    take_place(self, finding);
    self->of_case.failures += finding->level == ANSWER_BROKEN;
    self->of_case.errors += refused;
    if (finding->level >= ANSWER_BROKEN) {
        fprintf(file, "      <%s", refused ? "error" : "failure");
        put_attribute(file, "type", finding->rule);
        fputs(" message=\"", file);
        xml_put_plain(file, finding->sentence);
        fputs("\"/>\n", file);
    } else if (finding->level == ANSWER_DOUBTFUL) {
        fputs("      <system-out>", file);
        xml_put_plain(file, finding->sentence);
        fputs("</system-out>\n", file);
    }
}

static void finish(struct answer *answer)
{
    struct junit_answer *self = (struct junit_answer *)answer;
    end_suite(self);
    char *suites = close_piece(self, &self->suites);
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"heaptap\"", answer->file);
    put_counts(answer->file, &self->all);
    if (suites)
        fputs(suites, answer->file);
    fputs("</testsuites>\n", answer->file);
    free(suites);
    names_release(&self->names);
}

struct answer *junit_answer(FILE *file)
{
    static const struct answer_form form = {.name = "junit", .close = finish, .find = find};
    struct junit_answer *self = calloc(1, sizeof *self);
    if (!self)
        return NULL;
    self->answer = (struct answer){.form = &form, .file = file};
    open_piece(self, &self->suites);
    return &self->answer;
}
