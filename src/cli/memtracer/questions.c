#include "cli/memtracer/questions.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/path.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/output_file.h"

/* ---- Words --------------------------------------------------------------------------- */

/* Takes one word from `*at`, whose memory it then shares; NULL at the end.  `*is_open`: a quote has no end. */
static char *next_word(char **at, bool *is_open)
{
    char *from = *at + strspn(*at, " \t\n"), *to = from, *word = from, quote = 0;
    if (!*from)
        return NULL;
    for (; *from && (quote || !strchr(" \t\n", *from)); from++) {
        if (quote ? *from == quote : *from == '\'' || *from == '"')
            quote = quote ? 0 : *from;
        else if (*from == '\\' && quote != '\'' && from[1] && (!quote || strchr("\\\"", from[1])))
            *to++ = *++from;
        else
            *to++ = *from;
    }
    *is_open |= quote != 0;
    *at = from + (*from != 0);
    *to = 0;
    return word;
}

/* Is it --json, --csv or --format with one of these? */
static bool asks_for_data(const struct question_words *question)
{
    for (int i = 2; i < question->count; i++) {
        const char *word = question->words[i], *before = question->words[i - 1];
        if (strcmp(word, "--json") == 0 || strcmp(word, "--csv") == 0 ||
            strcmp(word, "--format=json") == 0 || strcmp(word, "--format=csv") == 0)
            return true;
        if ((strcmp(before, "-f") == 0 || strcmp(before, "--format") == 0) &&
            (strcmp(word, "json") == 0 || strcmp(word, "csv") == 0))
            return true;
    }
    return false;
}

/* Commands that run programs, or take no trace. */
static bool runs_programs(const char *command)
{
    return strcmp(command, "record") == 0 || strcmp(command, "memtracer") == 0 ||
           strcmp(command, "help") == 0;
}

bool question_words_split(struct question_words *question, const char *text, const char **fault)
{
    bool is_open = false;
    *question = (struct question_words){.text = strdup(text),
                                        .words = calloc(strlen(text) + 4, sizeof(char *))};
    *fault = NULL;
    if (!question->text || !question->words)
        return false;
    char *at = question->text;
    question->words[question->count++] = (char *)"heaptap";
    while ((question->words[question->count] = next_word(&at, &is_open)))
        question->count++;
    question->is_for_programs = asks_for_data(question);
    if (is_open)
        *fault = "a quote has no end";
    else if (question->count < 2)
        *fault = "it names no command, such as leaks";
    else if (runs_programs(question->words[1]))
        *fault = "this command takes no trace";
    else if (!command_find(question->count - 1, question->words + 1).name)
        *fault = "there is no such command; see `heaptap help`";
    return !*fault;
}

void question_words_release(struct question_words *question)
{
    free(question->words);
    free(question->text);
}

/* ---- Asking -------------------------------------------------------------------------- */

static void put_trace(const struct question_words *question, const char *trace, char **words)
{
    bool has_place = false;
    struct command command = command_find(question->count - 1, question->words + 1);
    int count = 0, name_end = command_words(&command);
    for (int i = 0; i < question->count; i++)
        has_place |= strcmp(question->words[i], "{}") == 0;
    for (int i = 0; i < question->count; i++) {
        words[count++] = strcmp(question->words[i], "{}") == 0 ? (char *)trace : question->words[i];
        if (i == name_end && !has_place)
            words[count++] = (char *)trace;
    }
    words[count] = NULL;
}

static int wait_for(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Its exit status. */
static int ask(const struct question_words *question, const char *trace, int output)
{
    char **words = calloc((size_t)question->count + 2, sizeof *words);
    if (!words)
        return cli_out_of_memory();
    put_trace(question, trace, words);
    fflush(stdout);
    /* The command is interrupted; what it was asked about is removed after it. */
    void (*interrupt)(int) = signal(SIGINT, SIG_IGN), (*quit)(int) = signal(SIGQUIT, SIG_IGN);
    pid_t child = fork();
    if (child == 0) {
        int count = 0;
        while (words[count])
            count++;
        signal(SIGINT, interrupt);
        signal(SIGQUIT, quit);
        if (output >= 0)
            dup2(output, STDOUT_FILENO);
        struct command command = command_find(count - 1, words + 1);
        exit(cli_close_output(command_run(&command, count - 1, words + 1)));
    }
    int status = child > 0 ? wait_for(child) : CLI_FAILED;
    if (child < 0)
        cli_warn("asking %s: %s", question->words[1], strerror(errno));
    signal(SIGINT, interrupt);
    signal(SIGQUIT, quit);
    free(words);
    return status;
}

bool questions_are_for_programs(const struct question_words *questions, int count)
{
    bool are = false;
    for (int i = 0; i < count; i++)
        are |= questions[i].is_for_programs;
    return are;
}

static void name_process(const struct guest_profile *process, int output)
{
    dprintf(output >= 0 ? output : STDOUT_FILENO, "\nProcess %llu, %s %llu\n",
            (unsigned long long)process->pid, process->forked ? "forked from" : "started by",
            (unsigned long long)process->parent_pid);
}

static int ask_all(const struct question_words *questions, int count, const struct results *results,
                   int output)
{
    int worst = CLI_DONE;
    fflush(stdout);
    for (size_t i = 0; i < results->count; i++) {
        const struct guest_profile *process = &results->processes[i];
        if (!process->trace)
            continue;
        if (i > 0 && !questions_are_for_programs(questions, count))
            name_process(process, output);
        for (int k = 0; k < count; k++) {
            int status = ask(&questions[k], process->trace, output);
            worst = status > worst ? status : worst;
        }
    }
    return worst;
}

int questions_ask(const struct question_words *questions, int count, const struct results *results,
                  const char *output_file)
{
    struct output_file file;
    if (!output_file || strcmp(output_file, "-") == 0)
        return ask_all(questions, count, results, -1);
    int code = output_file_open(&file, output_file);
    if (code)
        return output_file_fail(output_file, "this", code);
    int status = ask_all(questions, count, results, file.fd);
    code = status > CLI_FOUND ? 0 : output_file_commit(&file);
    output_file_release(&file);
    return code ? output_file_fail(output_file, "this", code) : status;
}

char *questions_trace(const char *folder, char *const *command)
{
    const char *path = command ? command[0] : "code";
    const char *name = path_file(path);
    size_t size = strcspn(name, ".");
    return size > 0 ? text_format("%s/%.*s.ctf", folder, (int)size, name)
                    : text_format("%s/trace.ctf", folder);
}
