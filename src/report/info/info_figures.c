/* The figures of the report `info` as one table, for CSV: of the whole program, then of each domain. */
#include "report/info/info_parts.h"

/* A row of the table. */
struct figure {
    const char *name;
    const struct info_domain *domain; /* NULL: of the whole program */
    uint64_t samples;
    struct answer_value objects, time_us;
    const struct estimate_range *bytes_range, *objects_range; /* NULL for none */
};

INFO_GETTER(struct figure, figure_thread,
            answer_text(of->domain && of->domain->thread ? of->domain->thread->name : NULL))
INFO_GETTER(struct figure, figure_objects, of->objects)
INFO_GETTER(struct figure, figure_time, of->time_us)

#define OF_FIGURE(member) ANSWER_FIELD(struct figure, member)

static const struct answer_column figure_columns[] = {
    {"figure", NULL, ANSWER_TEXT, OF_FIGURE(name),
     "allocated, allocated_minor, allocated_major, allocated_external, promoted, collected_minor, collected_major, "
     "live_at_end or peak; of a domain allocated, promoted or collected"},
    {"domain", NULL, ANSWER_WHOLE, ANSWER_FIELD_OF(struct figure, domain, number),
     "the domain; empty for all"},
    {"thread", NULL, ANSWER_TEXT, get_figure_thread, "the name of its thread"},
    {"bytes", NULL, ANSWER_BYTES, ANSWER_SAMPLES(struct figure, samples), "bytes"},
    {"bytes_low", NULL, ANSWER_BYTES, ANSWER_FIELD_OF(struct figure, bytes_range, low),
     "their lower bound of 95 %, where it is known"},
    {"bytes_high", NULL, ANSWER_BYTES, ANSWER_FIELD_OF(struct figure, bytes_range, high),
     "the upper one"},
    {"objects", NULL, ANSWER_COUNT, get_figure_objects, "blocks"},
    {"objects_low", NULL, ANSWER_COUNT, ANSWER_FIELD_OF(struct figure, objects_range, low),
     "their lower bound of 95 %, where it is known"},
    {"objects_high", NULL, ANSWER_COUNT, ANSWER_FIELD_OF(struct figure, objects_range, high),
     "the upper one"},
    {"samples", NULL, ANSWER_WHOLE, OF_FIGURE(samples), "samples that these rest on"},
    {"time_us", NULL, ANSWER_TIME, get_figure_time, "of the peak: when"},
};

const struct answer_table info_figures_table = {
    .forms = ANSWER_IN_CSV, ANSWER_COLUMNS(figure_columns), .help = "a figure of a trace"};

/* ---- Figures ------------------------------------------------------------------------- */

static void put_allocated(struct answer *answer, const struct info *info)
{
    static const char *const names[] = {"allocated_minor", "allocated_major", "allocated_external"};
    const struct summary *summary = info->summary;
    uint64_t samples = summary_allocated_samples(summary);
    struct estimate_range bytes = summary_bytes_range(summary),
                          objects = summary_objects_range(summary);
    answer_row(answer,
               &(struct figure){.name = "allocated",
                                .samples = samples,
                                .objects = answer_number(summary_allocated_objects(summary)),
                                .bytes_range = &bytes,
                                .objects_range = &objects});
    for (int i = 0; i < SUMMARY_SOURCES; i++)
        answer_row(answer,
                   &(struct figure){.name = names[i],
                                    .samples = summary->allocated_samples[i],
                                    .objects = answer_number(summary->allocated_objects[i])});
}

static void put_live(struct answer *answer, const struct info *info)
{
    const struct summary *summary = info->summary;
    struct estimate_range bytes = summary_live_bytes_range(summary),
                          objects = summary_live_objects_range(summary);
    answer_row(answer, &(struct figure){.name = "live_at_end",
                                        .samples = summary->live_samples,
                                        .objects = answer_number(summary->live_objects),
                                        .bytes_range = &bytes,
                                        .objects_range = &objects});
    bytes = info_peak_range(info);
    answer_row(answer, &(struct figure){.name = "peak",
                                        .samples = (uint64_t)summary->peak.samples,
                                        .time_us = answer_number((double)summary->peak.time_us),
                                        .bytes_range = &bytes});
}

/* One that is known by its samples alone; `domain` may be NULL. */
static void put_sum(struct answer *answer, const char *name, const struct info_domain *domain,
                    uint64_t samples)
{
    answer_row(answer, &(struct figure){.name = name, .domain = domain, .samples = samples});
}

void info_put_figures(struct answer *answer, const struct info *info)
{
    struct answer_section section = info_section(info, &info_figures_table);
    const struct summary *summary = info->summary;
    struct info_domain domain;
    if (!answer_tells(answer, &info_figures_table))
        return; /* bounds take their time */
    answer_begin(answer, &section);
    put_allocated(answer, info);
    put_sum(answer, "promoted", NULL, summary->promoted_samples);
    put_sum(answer, "collected_minor", NULL, summary->collected_minor_samples);
    put_sum(answer, "collected_major", NULL, summary->collected_major_samples);
    put_live(answer, info);
    for (unsigned i = 0; info_next_domain(info, i, &domain); i = domain.number + 1) {
        put_sum(answer, "allocated", &domain, domain.figures->allocated_samples);
        put_sum(answer, "promoted", &domain, domain.figures->promoted_samples);
        put_sum(answer, "collected", &domain, domain.figures->collected_samples);
    }
    answer_end(answer);
}
