#include "fleet/ingest/jobs.h"

void ingest_jobs_init(struct ingest_jobs *jobs)
{
    *jobs = (struct ingest_jobs){.last = &jobs->first};
}

void ingest_jobs_push(struct ingest_jobs *jobs, struct ingest_job *job)
{
    job->next = NULL;
    *jobs->last = job;
    jobs->last = &job->next;
}

struct ingest_job *ingest_jobs_pop(struct ingest_jobs *jobs)
{
    struct ingest_job *job = jobs->first;
    if (job && !(jobs->first = job->next))
        jobs->last = &jobs->first;
    return job;
}

void ingest_jobs_move(struct ingest_jobs *to, struct ingest_jobs *from)
{
    *to = *from;
    if (!to->first)
        to->last = &to->first;
    ingest_jobs_init(from);
}
