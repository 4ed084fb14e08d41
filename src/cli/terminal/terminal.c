#include "cli/terminal/terminal.h"

#include <stdio.h>
#include <string.h>

#include "base/plain.h"
#include "cli/terminal/ask.h"
#include "cli/terminal/screen.h"

enum { TYPED_BYTES = 512, FIRST_WAIT_MS = 500, KEY_OF_CLEAR = 21 };

#define KEYS_OF_LIST "Tab card  Up Down line  Enter callers  s source  / filter  q end"
#define KEYS_OF_DETAIL "Up Down PgUp PgDn scroll  s source  c callers  Esc back  q end"

struct terminal {
    const struct terminal_view *view;
    uint32_t file;
    char filter[TYPED_BYTES];

    /* The summary: as it is read, and its cards for questions. */
    struct ask_lines summary;
    json_t *answer;
    size_t card;

    struct ask_lines list; /* hotspots of the card, by line, from its heading on ... */
    size_t heading, count; /* ... which is this line; rows after it */
    size_t row, top;       /* chosen, and the first that is shown */

    struct ask_lines detail; /* callers or source of a line; no lines: the list is shown */
    char title[TYPED_BYTES];
    size_t scroll;

    bool is_typing; /* a filter */
    char typed[TYPED_BYTES];
    char message[sizeof((struct heaptap_error *)0)->message]; /* a sentence; "" for none */
};

/* ---- Questions --------------------------------------------------------------------------- */

static const json_t *card_of(const struct terminal *terminal)
{
    return json_array_get(json_object_get(terminal->answer, "cards"), terminal->card);
}

static const char *card_text(const struct terminal *terminal, const char *key)
{
    const char *text = json_string_value(json_object_get(card_of(terminal), key));
    return text ? text : "";
}

static struct ask ask_of(const struct terminal *terminal, const char *report)
{
    return (struct ask){.state = terminal->view->state,
                        .file = terminal->file,
                        .report = report,
                        .filter = terminal->filter,
                        .clause = "",
                        .has_base = strcmp(report, "summary") == 0};
}

/* A report of what the chosen card is about. */
static struct ask ask_card(const struct terminal *terminal, const char *report)
{
    struct ask ask = ask_of(terminal, report);
    ask.clause = card_text(terminal, "clause");
    ask.sample = *card_text(terminal, "sample_type") ? card_text(terminal, "sample_type") : NULL;
    return ask;
}

static struct ask ask_list(const struct terminal *terminal)
{
    static const char *const options[] = {"granularity", "line", "top", "500",
                                          "callers",     "0",    NULL};
    struct ask ask = ask_card(terminal, "hotspots");
    ask.options = options;
    return ask;
}

static bool take_error(struct terminal *terminal, const struct heaptap_error *error)
{
    snprintf(terminal->message, sizeof terminal->message, "%s", error->message);
    return false;
}

/* The line after the first empty one. */
static size_t heading_of(const struct ask_lines *lines)
{
    for (size_t i = 0; i + 1 < lines->count; i++)
        if (!*lines->at[i])
            return i + 1;
    return lines->count;
}

static bool ask_rows(struct terminal *terminal)
{
    struct heaptap_error error;
    struct ask_lines list;
    struct ask ask = ask_list(terminal);
    if (!ask_text(&list, &ask, &error))
        return take_error(terminal, &error);
    ask_lines_release(&terminal->list);
    terminal->list = list;
    terminal->heading = heading_of(&list);
    terminal->count = terminal->heading < list.count ? list.count - terminal->heading - 1 : 0;
    if (terminal->row >= terminal->count)
        terminal->row = terminal->count > 0 ? terminal->count - 1 : 0;
    return true;
}

/* Why the filter leaves nothing. */
static void take_remark(struct terminal *terminal)
{
    const char *remark = json_string_value(json_object_get(terminal->answer, "remark"));
    if (remark)
        snprintf(terminal->message, sizeof terminal->message, "%s", plain(remark));
}

/* Everything that is shown, as the file and the filter are now. */
static bool ask_all(struct terminal *terminal)
{
    struct heaptap_error error;
    struct ask_lines summary;
    struct ask ask = ask_of(terminal, "summary");
    json_t *answer = ask_json(&ask, "card,title,clause,sample_type", &error);
    if (!answer || !ask_text(&summary, &ask, &error)) {
        json_decref(answer);
        return take_error(terminal, &error);
    }
    json_decref(terminal->answer);
    ask_lines_release(&terminal->summary);
    terminal->answer = answer;
    terminal->summary = summary;
    take_remark(terminal);
    if (terminal->card >= json_array_size(json_object_get(answer, "cards")))
        terminal->card = 0;
    return ask_rows(terminal);
}

/* Opens the callers, with their lines, or the source of the chosen line's function; shares are of what the card is about. */
static void ask_detail(struct terminal *terminal, const char *report, const char *what)
{
    struct heaptap_error error;
    struct ask_lines detail;
    static const char *const options[] = {"relative-percentages", "1", "granularity", "lines",
                                          NULL};
    struct ask rows = ask_list(terminal), ask = ask_card(terminal, report);
    ask.names_places = strcmp(report, "callers") == 0;
    ask.options = ask.names_places ? options : (const char *const[]){options[0], options[1], NULL};
    json_t *answer = ask_json(&rows, "function", &error);
    const json_t *sites = json_object_get(answer, "sites");
    ask.function =
        json_string_value(json_object_get(json_array_get(sites, terminal->row), "function"));
    if (!answer || !ask.function) {
        answer ? snprintf(terminal->message, sizeof terminal->message, "no function is known here")
               : take_error(terminal, &error);
    } else if (!ask_text(&detail, &ask, &error)) {
        take_error(terminal, &error);
    } else {
        ask_lines_release(&terminal->detail);
        terminal->detail = detail;
        terminal->scroll = 0;
        snprintf(terminal->title, sizeof terminal->title, "%s: %s of %s",
                 card_text(terminal, "title"), what, plain(ask.function));
    }
    json_decref(answer);
}

/* ---- Drawing ----------------------------------------------------------------------------- */

static size_t draw_title(const struct terminal *terminal)
{
    const struct viewer_state *state = terminal->view->state;
    const struct viewer_dataset *file = state->files[terminal->file];
    char text[2 * TYPED_BYTES];
    int size = snprintf(text, sizeof text, " heaptap  %.200s", plain(file->name));
    if (state->file_count > 1)
        size += snprintf(text + size, sizeof text - (size_t)size, " (%u of %zu: n)",
                         terminal->file + 1, state->file_count);
    if (*terminal->filter)
        size += snprintf(text + size, sizeof text - (size_t)size, "  filter: %.300s",
                         plain(terminal->filter));
    if (file->remark)
        snprintf(text + size, sizeof text - (size_t)size, "  ends early: %.200s",
                 plain(file->remark));
    screen_put(0, text, SCREEN_BAR);
    return 1;
}

/* The head, the cards with the chosen one marked, the advice; as far as `most` lines go. */
static size_t draw_summary(const struct terminal *terminal, size_t at, size_t most)
{
    const struct ask_lines *lines = &terminal->summary;
    size_t heading = heading_of(lines), chosen = heading + 1 + terminal->card, end = at + most;
    for (size_t i = 0; i < lines->count && at < end; i++) {
        bool is_dropped = !*lines->at[i] || (i > 0 && i < heading);
        if (!is_dropped)
            screen_put((int)at++, lines->at[i],
                       i == chosen    ? SCREEN_BAR
                       : i == heading ? SCREEN_QUIET
                                      : SCREEN_PLAIN);
    }
    return at;
}

static void draw_bottom(const struct terminal *terminal, size_t row)
{
    char text[TYPED_BYTES + 32];
    snprintf(text, sizeof text, "filter (Ctrl-U clears it): %s_", plain(terminal->typed));
    screen_put((int)row,
               terminal->is_typing          ? text
               : *terminal->message         ? terminal->message
               : terminal->detail.count > 0 ? KEYS_OF_DETAIL
                                            : KEYS_OF_LIST,
               SCREEN_BAR);
}

static void draw_rest(size_t at, size_t end)
{
    while (at < end)
        screen_put((int)at++, NULL, SCREEN_PLAIN);
}

static void draw_list(struct terminal *terminal, size_t at, size_t end)
{
    const struct ask_lines *lines = &terminal->list;
    char title[128];
    snprintf(title, sizeof title, "%s: %zu line%s, the heaviest first",
             card_text(terminal, "title"), terminal->count, terminal->count == 1 ? "" : "s");
    if (at < end)
        screen_put((int)at++, title, SCREEN_BOLD);
    if (at < end && terminal->heading < lines->count)
        screen_put((int)at++, lines->at[terminal->heading], SCREEN_QUIET);
    size_t room = end > at ? end - at : 0;
    if (terminal->row < terminal->top)
        terminal->top = terminal->row;
    if (room > 0 && terminal->row >= terminal->top + room)
        terminal->top = terminal->row - room + 1;
    for (size_t i = terminal->top; i < terminal->count && at < end; i++)
        screen_put((int)at++, lines->at[terminal->heading + 1 + i],
                   i == terminal->row ? SCREEN_BAR : SCREEN_PLAIN);
    draw_rest(at, end);
}

static void draw_detail(struct terminal *terminal, size_t at, size_t end)
{
    const struct ask_lines *lines = &terminal->detail;
    if (at < end)
        screen_put((int)at++, terminal->title, SCREEN_BOLD);
    size_t room = end > at ? end - at : 0;
    size_t last = lines->count > room ? lines->count - room : 0;
    if (terminal->scroll > last)
        terminal->scroll = last;
    for (size_t i = terminal->scroll; i < lines->count && at < end; i++)
        screen_put((int)at++, lines->at[i], SCREEN_PLAIN);
    draw_rest(at, end);
}

static void draw(struct terminal *terminal)
{
    enum { LIST_LEAST = 5 };
    size_t rows = (size_t)screen_size().rows;
    size_t bottom = rows > 0 ? rows - 1 : 0;
    size_t at = draw_title(terminal);
    if (terminal->detail.count > 0) {
        draw_detail(terminal, at, bottom);
    } else {
        at = draw_summary(terminal, at, bottom > LIST_LEAST + 1 ? bottom - LIST_LEAST - 1 : 0);
        draw_list(terminal, at, bottom);
    }
    draw_bottom(terminal, bottom);
    screen_show();
}

/* ---- Keys -------------------------------------------------------------------------------- */

static void choose_card(struct terminal *terminal, size_t card)
{
    size_t count = json_array_size(json_object_get(terminal->answer, "cards"));
    if (card >= count || card == terminal->card)
        return;
    terminal->card = card;
    terminal->row = terminal->top = 0;
    ask_rows(terminal);
}

static void turn_card(struct terminal *terminal, size_t by)
{
    size_t count = json_array_size(json_object_get(terminal->answer, "cards"));
    if (count > 0)
        choose_card(terminal, (terminal->card + by + count) % count);
}

/* Back to what it was where it can't be asked. */
static void take_filter(struct terminal *terminal)
{
    char before[TYPED_BYTES];
    memcpy(before, terminal->filter, sizeof before);
    memcpy(terminal->filter, terminal->typed, sizeof before);
    terminal->row = terminal->top = 0;
    if (!ask_all(terminal))
        memcpy(terminal->filter, before, sizeof before);
}

static void type(struct terminal *terminal, int key)
{
    size_t size = strlen(terminal->typed);
    terminal->is_typing = key != SCREEN_ENTER && key != SCREEN_ESCAPE;
    if (key == SCREEN_ENTER)
        take_filter(terminal);
    else if (key == SCREEN_ERASE && size > 0)
        terminal->typed[size - 1] = 0;
    else if (key == KEY_OF_CLEAR)
        *terminal->typed = 0;
    else if (key >= ' ' && key <= 0xff && size + 1 < sizeof terminal->typed)
        memcpy(terminal->typed + size, (char[]){(char)key, 0}, 2);
}

static void begin_typing(struct terminal *terminal)
{
    memcpy(terminal->typed, terminal->filter, sizeof terminal->typed);
    terminal->is_typing = true;
}

enum { FARTHEST = 1 << 30 };
/* How far a key moves; 0 for none that does. */
static long step_of(int key)
{
    long page = screen_size().rows / 2;
    return key == SCREEN_UP || key == 'k'     ? -1
           : key == SCREEN_DOWN || key == 'j' ? 1
           : key == SCREEN_PAGE_UP            ? -page
           : key == SCREEN_PAGE_DOWN          ? page
           : key == SCREEN_HOME               ? -FARTHEST
           : key == SCREEN_END                ? FARTHEST
                                              : 0;
}

static size_t moved(size_t at, long by, size_t count)
{
    long to = (long)at + by;
    return to < 0 || count == 0 ? 0 : (size_t)to >= count ? count - 1 : (size_t)to;
}

static void show_next_file(struct terminal *terminal)
{
    terminal->file = (terminal->file + 1) % (uint32_t)terminal->view->state->file_count;
    terminal->card = terminal->row = terminal->top = 0;
    ask_all(terminal);
}

/* Of the list or the detail. */
static void move(struct terminal *terminal, long by)
{
    if (terminal->detail.count > 0)
        terminal->scroll = moved(terminal->scroll, by, terminal->detail.count);
    else
        terminal->row = moved(terminal->row, by, terminal->count);
}

static void go_back(struct terminal *terminal)
{
    ask_lines_release(&terminal->detail);
}

/* False where the view ends. */
static bool take_key(struct terminal *terminal, int key)
{
    *terminal->message = 0;
    if (key == 'q')
        return false;
    if (step_of(key))
        move(terminal, step_of(key));
    else if (key == SCREEN_ENTER || key == 'c')
        ask_detail(terminal, "callers", "callers");
    else if (key == 's')
        ask_detail(terminal, "list", "source");
    else if (key == SCREEN_ESCAPE || key == SCREEN_ERASE)
        go_back(terminal);
    else if (terminal->detail.count > 0)
        return true;
    else if (key >= '1' && key <= '9')
        choose_card(terminal, (size_t)(key - '1'));
    else if (key == '\t' || key == SCREEN_RIGHT)
        turn_card(terminal, 1);
    else if (key == SCREEN_LEFT)
        turn_card(terminal, (size_t)-1);
    else if (key == '/')
        begin_typing(terminal);
    else if (key == 'n')
        show_next_file(terminal);
    return true;
}

/* ---- The loop ---------------------------------------------------------------------------- */

static void run(struct terminal *terminal)
{
    int wait_ms = FIRST_WAIT_MS;
    for (bool goes_on = true; goes_on;) {
        draw(terminal);
        int key = screen_key(wait_ms);
        if (key == SCREEN_NOTHING) {
            if (terminal->view->follow(terminal->view->context, &wait_ms))
                ask_all(terminal);
        } else if (key == SCREEN_RESIZED) {
            screen_size();
            ask_all(terminal);
        } else if (terminal->is_typing) {
            type(terminal, key);
        } else {
            goes_on = take_key(terminal, key);
        }
    }
}

bool terminal_run(const struct terminal_view *view, struct heaptap_error *error)
{
    struct terminal terminal = {.view = view};
    if (!screen_open(error))
        return false;
    bool done = ask_all(&terminal);
    if (done)
        run(&terminal);
    screen_close();
    if (!done) {
        error->status = HEAPTAP_BAD_ARGUMENT;
        snprintf(error->message, sizeof error->message, "%s", terminal.message);
    }
    json_decref(terminal.answer);
    ask_lines_release(&terminal.summary);
    ask_lines_release(&terminal.list);
    ask_lines_release(&terminal.detail);
    return done;
}
