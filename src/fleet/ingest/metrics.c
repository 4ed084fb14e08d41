#include "fleet/ingest/metrics.h"

#include <inttypes.h>
#include <stdio.h>

void ingest_metrics_refuse(struct ingest_metrics *metrics, unsigned status)
{
    size_t i = 0;
    while (i + 1 < METRICS_STATUSES && metrics->refused[i].status &&
           metrics->refused[i].status != status)
        i++;
    metrics->refused[i].status = status;
    metrics->refused[i].count++;
}

static void put_head(struct text *text, const char *name, const char *type, const char *help)
{
    char line[256];
    snprintf(line, sizeof line, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
    text_put_string(text, line);
}

static void put_line(struct text *text, const char *name, double value)
{
    char line[128];
    snprintf(line, sizeof line, "%s %.17g\n", name, value);
    text_put_string(text, line);
}

void ingest_metrics_put(const struct ingest_metrics *metrics, struct text *text)
{
    char name[80];
    put_head(text, "heaptap_profiles_total", "counter", "Profiles that were taken.");
    put_line(text, "heaptap_profiles_total{result=\"added\"}", (double)metrics->added);
    put_line(text, "heaptap_profiles_total{result=\"repeated\"}", (double)metrics->repeated);
    put_head(text, "heaptap_scrapes_total", "counter", "Profiles that were fetched.");
    put_line(text, "heaptap_scrapes_total{result=\"stored\"}", (double)metrics->scraped);
    put_line(text, "heaptap_scrapes_total{result=\"failed\"}", (double)metrics->unscraped);
    put_head(text, "heaptap_refused_total", "counter", "Requests that were refused, by status.");
    for (size_t i = 0; i < METRICS_STATUSES && metrics->refused[i].status; i++) {
        snprintf(name, sizeof name, "heaptap_refused_total{status=\"%u\"}",
                 metrics->refused[i].status);
        put_line(text, name, (double)metrics->refused[i].count);
    }
    put_head(text, "heaptap_received_bytes_total", "counter", "Bytes of profiles that came whole.");
    put_line(text, "heaptap_received_bytes_total", (double)metrics->bytes);
    put_head(text, "heaptap_add_seconds_total", "counter",
             "Time spent reading profiles and storing them.");
    put_line(text, "heaptap_add_seconds_total", metrics->add_seconds);
    put_head(text, "heaptap_series", "gauge",
             "Different sets of labels in the store, of the last 7 days.");
    put_line(text, "heaptap_series", (double)metrics->series);
}
