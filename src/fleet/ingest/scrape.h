/* Fetches profiles from targets, each as often as it is asked to, and gives them to the writer.  One thread, with many fetches on
 * their way at once. */
#ifndef FLEET_INGEST_SCRAPE_H
#define FLEET_INGEST_SCRAPE_H

#include "fleet/ingest/targets.h"
#include "fleet/ingest/writer.h"

struct ingest_scraper;

/* Told of each target that has begun to fail, and of each that works again; by the scraper's thread. */
typedef void ingest_scrape_say(void *context, const char *sentence);

/* Starts at once.  Targets, writer and taking are borrowed until it is freed. */
enum heaptap_status ingest_scraper_new(struct ingest_scraper **scraper,
                                       const struct ingest_targets *targets,
                                       struct ingest_taking *taking, struct ingest_writer *writer,
                                       ingest_scrape_say *say, void *context,
                                       struct heaptap_error *error) HEAPTAP_MUST_CHECK;

/* Before the writer's end.  NULL allowed. */
void ingest_scraper_free(struct ingest_scraper *scraper);

#endif
