#include "cli/terminal/screen.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "answer/cut.h"
#include "base/error.h"
#include "base/temporary.h"
#include "cli/terminal/ncurses.h"

enum {
    ESCAPE_MS = 25,
    RESTORING_BYTES = 128,
    KEY_OF_ESCAPE = 27,
    KEY_OF_DELETE = 127,
    KEY_OF_BACKSPACE = 8
};

static WINDOW *window;
static SCREEN *screen;
static struct termios before;
static char restoring[RESTORING_BYTES]; /* what a terminal is told at the end */
static int errors = -1;                 /* where standard error went */
static int kept = -1;                   /* where it goes */

/* ---- Its end ----------------------------------------------------------------------------- */

static void end_by(int number)
{
    ssize_t written = write(STDOUT_FILENO, restoring, strlen(restoring));
    (void)written;
    tcsetattr(STDIN_FILENO, TCSANOW, &before);
    signal(number, SIG_DFL);
    raise(number);
}

static void catch_ends(void)
{
    static const int numbers[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGPIPE,
                                  SIGSEGV, SIGBUS,  SIGABRT, SIGFPE,  SIGILL};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        signal(numbers[i], end_by);
}

static void add_capability(const char *name)
{
    const char *text = tigetstr(name);
    size_t size = strlen(restoring);
    if (text && text != (char *)-1)
        snprintf(restoring + size, sizeof restoring - size, "%s", text);
}

/* ---- Standard error ---------------------------------------------------------------------- */

static void keep_errors(void)
{
    fflush(stderr);
    kept = temporary_nameless();
    errors = kept < 0 ? -1 : dup(STDERR_FILENO);
    if (errors >= 0)
        dup2(kept, STDERR_FILENO);
}

static void tell_errors(void)
{
    char bytes[4096];
    ssize_t size;
    fflush(stderr);
    if (errors >= 0) {
        dup2(errors, STDERR_FILENO);
        close(errors);
        lseek(kept, 0, SEEK_SET);
        while ((size = read(kept, bytes, sizeof bytes)) > 0)
            fwrite(bytes, 1, (size_t)size, stderr);
    }
    if (kept >= 0)
        close(kept);
    errors = kept = -1;
}

/* ---- Opening ----------------------------------------------------------------------------- */

static bool refuse(struct heaptap_error *error, const char *sentence)
{
    error_set(error, HEAPTAP_BAD_ARGUMENT, "%s", sentence);
    return false;
}

/* Else the kernel throws away what is written as Ctrl-C is typed, and with it what restores the terminal. */
static void keep_output(void)
{
    struct termios now;
    if (tcgetattr(STDIN_FILENO, &now) != 0)
        return;
    now.c_lflag |= NOFLSH;
    tcsetattr(STDIN_FILENO, TCSANOW, &now);
    def_prog_mode();
}

static bool begin(struct heaptap_error *error)
{
    screen = newterm(NULL, stdout, stdin);
    if (!screen) {
        const char *name = getenv("TERM");
        error_set(error, HEAPTAP_SYSTEM, "nothing is known about terminals called '%.64s' (TERM)",
                  name ? name : "");
        return false;
    }
    window = newwin(0, 0, 0, 0);
    if (window)
        return true;
    screen_close();
    error_no_memory(error);
    return false;
}

bool screen_open(struct heaptap_error *error)
{
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return refuse(error, "this needs a terminal on standard input and output; `heaptap "
                             "summary` prints the same elsewhere");
    if (tcgetattr(STDIN_FILENO, &before) != 0 || ncurses_load(error) != HEAPTAP_OK)
        return *error->message ? false : refuse(error, "the terminal's settings can't be read");
    unsetenv("COLUMNS"); /* the terminal itself knows, also later */
    unsetenv("LINES");
    setenv("NO_COLOR", "1", 1); /* lines are drawn, not printed */
    if (!begin(error))
        return false;
    cbreak();
    noecho();
    keep_output();
    keypad(window, true);
    set_escdelay(ESCAPE_MS);
    curs_set(0);
    add_capability("rmkx");
    add_capability("cnorm");
    add_capability("sgr0");
    add_capability("rmcup");
    catch_ends();
    atexit(screen_close);
    keep_errors();
    return true;
}

void screen_close(void)
{
    if (!screen)
        return;
    endwin();
    delscreen(screen);
    screen = NULL;
    window = NULL;
    tell_errors();
}

/* ---- Drawing ----------------------------------------------------------------------------- */

struct screen_size screen_size(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0)
        return (struct screen_size){24, 80};
    wresize(window, size.ws_row, size.ws_col);
    return (struct screen_size){size.ws_row, size.ws_col};
}

void screen_put(int row, const char *text, enum screen_look look)
{
    static const int looks[] = {[SCREEN_PLAIN] = A_NORMAL,
                                [SCREEN_BOLD] = A_BOLD,
                                [SCREEN_QUIET] = A_DIM,
                                [SCREEN_BAR] = A_REVERSE};
    int columns = screen_size().columns;
    char *cut = text && text_width(text) > columns ? cut_end(text, columns) : NULL;
    const char *shown = cut ? cut : text ? text : "";
    wmove(window, row, 0);
    wattrset(window, looks[look]);
    waddnstr(window, shown, -1);
    for (int at = text_width(shown); look == SCREEN_BAR && at < columns; at++)
        waddnstr(window, " ", 1);
    wattrset(window, A_NORMAL);
    if (text_width(shown) < columns && look != SCREEN_BAR)
        wclrtoeol(window);
    free(cut);
}

void screen_show(void)
{
    wrefresh(window);
}

/* ---- Keys -------------------------------------------------------------------------------- */

int screen_key(int wait_ms)
{
    static const struct {
        int of_ncurses, key;
    } keys[] = {{KEY_RESIZE, SCREEN_RESIZED},   {KEY_UP, SCREEN_UP},
                {KEY_DOWN, SCREEN_DOWN},        {KEY_LEFT, SCREEN_LEFT},
                {KEY_RIGHT, SCREEN_RIGHT},      {KEY_PPAGE, SCREEN_PAGE_UP},
                {KEY_NPAGE, SCREEN_PAGE_DOWN},  {KEY_HOME, SCREEN_HOME},
                {KEY_END, SCREEN_END},          {KEY_ENTER, SCREEN_ENTER},
                {'\n', SCREEN_ENTER},           {'\r', SCREEN_ENTER},
                {KEY_OF_ESCAPE, SCREEN_ESCAPE}, {KEY_BACKSPACE, SCREEN_ERASE},
                {KEY_OF_DELETE, SCREEN_ERASE},  {KEY_OF_BACKSPACE, SCREEN_ERASE}};
    wtimeout(window, wait_ms);
    int got = wgetch(window);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i].of_ncurses == got)
            return keys[i].key;
    return got == ERR || got > 0xff ? SCREEN_NOTHING : got;
}
