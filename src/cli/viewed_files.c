#include "cli/viewed_files.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/model_input.h"
#include "cli/record/running.h"
#include "cli/report.h"
#include "report/reports.h"

static off_t size_of(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? status.st_size : -1;
}

const char *viewed_remark(const struct trace_input *input)
{
    if (input->exit_status != CLI_DONE)
        return input->error.message;
    bool is_told = input->lacks_a_part && input->growth != TRACE_GROWS;
    return is_told ? "a part of what the program did is missing" : NULL;
}

/* NULL with a message told, and the exit status kept. */
static struct viewer_dataset *read_file(struct viewed_files *viewed, const char *path)
{
    struct model_input input;
    const struct model_wanted wanted = {.files.path = path, .watch = &viewed->watch};
    bool done = model_input_open(&input, &wanted) && model_input_to_base_units(&input);
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    viewed->status = input.trace.exit_status;
    if (!done)
        return NULL;
    struct viewer_dataset *file = viewer_dataset_new(input.model, trace_input_name(&input.trace),
                                                     viewed_remark(&input.trace));
    if (!file) {
        cli_warn("%s: out of memory", trace_input_subject(&input.trace));
        viewed->status = CLI_FAILED;
    } else {
        file->is_growing = input.trace.growth == TRACE_GROWS;
    }
    return file;
}

bool viewed_files_read(struct viewed_files *viewed)
{
    int worst = CLI_DONE;
    for (size_t i = 0; i < viewed->wanted_count; i++) {
        const char *path = viewed->wanted[i];
        off_t size = size_of(path);
        struct viewer_dataset *file = read_file(viewed, path);
        worst = viewed->status > worst ? viewed->status : worst;
        if (!file)
            continue;
        viewed->sizes[viewed->count] = size;
        viewed->paths[viewed->count] = path;
        viewed->files[viewed->count++] = file;
    }
    if (viewed->base_path) {
        viewed->base = read_file(viewed, viewed->base_path);
        worst = viewed->status > worst ? viewed->status : worst;
    }
    viewed->status = worst;
    return viewed->count > 0 && (viewed->base || !viewed->base_path);
}

/* A trace has its size long before it is full: its process has it mapped. */
static bool is_written(const struct viewer_dataset *file, const char *path)
{
    const struct model *model = file->model;
    pid_t pid = (pid_t)model->info.pid;
    return model->kind == MODEL_OBJECTS && process_is_running(pid) &&
           process_is_writing(pid, path, false);
}

/* Has a trace gained no event, and if its process is idle, no time that a picture of it would show? */
static bool is_alike(const struct viewer_dataset *before, const struct viewer_dataset *after)
{
    static const int64_t shown_part = 50;
    const struct model *old = before->model, *new = after->model;
    int64_t later_us = new->end_us - old->end_us;
    bool is_idle = before->is_growing && later_us >= 0 && later_us <= old->end_us / shown_part;
    return old->objects.count == new->objects.count && before->is_growing == after->is_growing &&
           (later_us == 0 || is_idle);
}

/* A pipe can't be read again. */
static bool is_there(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode));
}

struct viewer_dataset *viewed_files_follow(struct viewed_files *viewed, size_t i)
{
    const char *path = viewed->paths[i];
    off_t size = size_of(path);
    struct viewer_dataset *before = viewed->files[i];
    if (!is_there(path) || (size == viewed->sizes[i] && !is_written(before, path)))
        return NULL;
    struct viewer_dataset *after = read_file(viewed, path);
    if (!after) { /* once is enough to tell why, until it changes again */
        viewed->sizes[i] = size;
        return NULL;
    }
    if (size == viewed->sizes[i] && is_alike(before, after)) {
        viewer_dataset_free(after);
        return NULL;
    }
    viewed->sizes[i] = size;
    viewed->files[i] = after;
    return before;
}

enum report_outcome viewed_files_put(void *context, size_t number, const struct question *asked,
                                     const char *filter, struct answer *answer)
{
    const struct viewed_files *viewed = context;
    struct question question = *asked;
    struct report report;
    int status;
    enum report_outcome outcome = REPORT_UNREAD;
    question.path = number < viewed->count ? viewed->paths[number] : viewed->base_path;
    question.filter = (struct text){0};
    text_put_string(&question.filter, filter);
    if (is_there(question.path) && report_open(&report, &question, &status)) {
        report.input.subject = report.input.path = report.input.name; /* as the page calls it */
        outcome = question.report->put(answer, &report);
        report_close(&report);
    }
    text_release(&question.filter);
    return outcome;
}

void viewed_files_release(struct viewed_files *viewed)
{
    for (size_t i = 0; i < viewed->count; i++)
        viewer_dataset_free(viewed->files[i]);
    viewer_dataset_free(viewed->base);
}
