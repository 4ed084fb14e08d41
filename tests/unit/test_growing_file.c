/* Files written as memory: what lies in them after a death, at limits, and where their name leads elsewhere. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run_tests.h"
#include "helpers/sanitized.h"
#include "tap/inside/growing_file.h"

static struct growing_file file;
static char folder[] = "/tmp/growing-file-XXXXXX", name[64];

static void open_new(uint64_t most_bytes)
{
    int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(growing_file_open(&file, fd, name, most_bytes), 0);
    close(fd);
}

static off_t length_of(const char *path)
{
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    return status.st_size;
}

static int make_folder(void **state)
{
    if (!mkdtemp(folder))
        return -1;
    snprintf(name, sizeof name, "%s/file", folder);
    return 0;
}

static int remove_folder(void **state)
{
    unlink(name);
    return rmdir(folder);
}

static void what_was_stored_survives_sigkill(void **state)
{
    char found[6] = "";
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        open_new(0);
        growing_file_take(&file, 1);
        char *region = growing_file_take(&file, 10000);
        memcpy(region + 9000, "there", 5);
        kill(getpid(), SIGKILL);
    }
    waitpid(pid, &status, 0);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    int fd = open(name, O_RDONLY);
    assert_int_equal(pread(fd, found, 5, 4096 + 9000), 5);
    close(fd);
    assert_string_equal(found, "there");
}

static void regions_are_whole_pages_of_zeros_one_after_another(void **state)
{
    open_new(0);
    const size_t sizes[] = {1, 4096, 4097, 1 << 20, 12345678};
    uint64_t at = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint8_t *region = growing_file_take(&file, sizes[i]);
        assert_non_null(region);
        assert_int_equal(growing_file_offset(&file, region), at);
        for (size_t k = 0; k < sizes[i]; k++)
            assert_int_equal(region[k], 0);
        memset(region, 0xff, sizes[i]);
        at += (sizes[i] + 4095) / 4096 * 4096;
    }
    growing_file_trim(&file);
    assert_int_equal(length_of(name), at);
    growing_file_close(&file);
}

enum { THREADS = 4, EACH = 300 };

static void *take_many(void *mark)
{
    for (int i = 0; i < EACH; i++) {
        uint8_t *region = growing_file_take(&file, 4096 * (1 + (size_t)i % 5));
        assert_non_null(region);
        for (size_t k = 0; k < 4096 * (1 + (size_t)i % 5); k++) {
            assert_int_equal(region[k], 0);
            region[k] = (uint8_t)(uintptr_t)mark;
        }
    }
    return NULL;
}

static void threads_never_share_a_region(void **state)
{
    pthread_t threads[THREADS];
    open_new(0);
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, take_many, (void *)(i + 1));
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&file.used), THREADS * EACH * 3 * 4096);
    growing_file_close(&file);
}

/* In a child: 0 where `code` is what growing fails with and no signal comes. */
static int failure(void (*prepare)(void), uint64_t most_bytes, int code)
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        void *region;
        open_new(most_bytes);
        prepare();
        for (int i = 0; i < 4000 && (region = growing_file_take(&file, 65536)); i++)
            memset(region, 1, 65536);
        if (region || growing_file_take(&file, 1))
            _exit(1);
        if (atomic_load(&file.failed) != code)
            _exit(100 + atomic_load(&file.failed));
        _exit(0);
    }
    waitpid(pid, &status, 0);
    return status;
}

static void nothing(void)
{
}

static void limit_files(void)
{
    const struct rlimit limit = {300000, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
}

static void limit_files_to_nothing(void)
{
    const struct rlimit limit = {0, 0};
    setrlimit(RLIMIT_FSIZE, &limit);
}

static void remove_it(void)
{
    unlink(name);
}

static void replace_it(void)
{
    unlink(name);
    int fd = open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (fd < 0 || write(fd, "precious\n", 9) != 9)
        _exit(2);
    close(fd);
}

static void limits_are_errors_and_never_signals(void **state)
{
    assert_int_equal(failure(limit_files, 0, EFBIG), 0);
    assert_int_equal(failure(limit_files_to_nothing, 0, EFBIG), 0);
    assert_int_equal(failure(nothing, 1000000, EFBIG), 0);
    assert_true(length_of(name) <= 1000000);
    assert_int_equal(failure(remove_it, 0, ENOENT), 0);
}

/* The file grows by its descriptor where its name leads there no more, and by its name where the descriptor
 * does: one of another file is not touched. */
static void a_descriptor_is_another_way_to_the_file(void **state)
{
    open_new(0);
    int fd = open(name, O_RDWR), other = open("/dev/null", O_RDWR);
    growing_file_use_descriptor(&file, fd);
    unlink(name);
    for (int i = 0; i < 20; i++)
        assert_non_null(growing_file_take(&file, 65536));
    struct stat status;
    assert_int_equal(fstat(fd, &status), 0);
    assert_true(status.st_size >= 20 * 65536);
    dup2(other, fd);
    for (int i = 0; i < 200 && growing_file_take(&file, 65536); i++)
        ;
    assert_int_equal(atomic_load(&file.failed), ENOENT);
    growing_file_close(&file);

    open_new(0);
    growing_file_use_descriptor(&file, fd);
    for (int i = 0; i < 20; i++)
        assert_non_null(growing_file_take(&file, 65536));
    assert_true(length_of(name) >= 20 * 65536);
    growing_file_close(&file);
    close(fd);
    close(other);
}

static void a_file_of_another_is_never_touched(void **state)
{
    char found[16] = "";
    assert_int_equal(failure(replace_it, 0, ENOENT), 0);
    int fd = open(name, O_RDONLY);
    assert_int_equal(read(fd, found, sizeof found), 9);
    close(fd);
    assert_string_equal(found, "precious\n");
}

static void a_full_disk_is_an_error(void **state)
{
    if (mount("none", folder, "tmpfs", 0, "size=1m") != 0)
        skip();
    int status = failure(nothing, 0, ENOSPC);
    umount2(folder, MNT_DETACH);
    assert_int_equal(status, 0);
}

static void what_is_reserved_is_there_without_a_system_call(void **state)
{
    open_new(0);
    growing_file_take(&file, 4096);
    growing_file_reserve(&file, 1 << 20, true);
    growing_file_seal(&file);
    unlink(name);
    for (int i = 0; i < 16; i++)
        assert_non_null(growing_file_take(&file, 65536));
    assert_null(growing_file_take(&file, 1 << 20));
    assert_int_equal(atomic_load(&file.failed), EPERM);
    growing_file_close(&file);
}

static void a_child_that_leaves_it_writes_nothing(void **state)
{
    char found[4] = "";
    open_new(0);
    char *region = growing_file_take(&file, 4096);
    memcpy(region, "own", 3);
    pid_t pid = fork();
    if (pid == 0) {
        growing_file_leave_to_parent(&file, true);
        memcpy(region, "no!", 3);
        _exit(growing_file_is_open(&file));
    }
    int status;
    waitpid(pid, &status, 0);
    assert_int_equal(status, 0);
    int fd = open(name, O_RDONLY);
    assert_int_equal(read(fd, found, 3), 3);
    close(fd);
    assert_string_equal(found, "own");
    growing_file_close(&file);
}

static void cut(void)
{
    assert_int_equal(truncate(name, 0), 0);
}

static void a_file_that_was_cut_does_not_grow(void **state)
{
    open_new(0);
    assert_non_null(growing_file_take(&file, 1));
    cut();
    assert_null(growing_file_take(&file, 1 << 20));
    assert_int_equal(file.failed, GROWING_FILE_CUT);
    assert_int_equal(length_of(name), 0);
    growing_file_trim(&file);
    assert_int_equal(length_of(name), 0);
    growing_file_close(&file);
}

/* As a thread does that looked at the length just before. */
static void one_that_got_its_length_back_does_not_grow_either(void **state)
{
    open_new(0);
    char *region = growing_file_take(&file, 1);
    region[1000] = 'x';
    growing_file_mark(&file, (uint8_t *)region + 1000);
    growing_file_mark(&file, (uint8_t *)region);
    assert_non_null(growing_file_take(&file, 1 << 20));
    uint64_t size = file.size;
    cut();
    assert_int_equal(truncate(name, (off_t)size), 0);
    assert_null(growing_file_take(&file, 1 << 20));
    assert_int_equal(file.failed, GROWING_FILE_CUT);
    growing_file_close(&file);
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    if (!growing_file_take_fault(&file, info->si_addr))
        _exit(1);
}

static void what_was_cut_off_is_replaced_in_the_handler(void **state)
{
    struct sigaction before, action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    int elsewhere;
    open_new(0);
    volatile char *region = growing_file_take(&file, 100000);
    region[50000] = 'x';
    cut();
    assert_false(growing_file_take_fault(&file, &elsewhere));
    assert_false(growing_file_take_fault(&file, file.view.base + file.view.bytes));
    assert_int_equal(file.failed, 0);
    sigaction(SIGBUS, &action, &before);
    region[50000] = 'y';
    assert_int_equal(region[50000], 'y');
    assert_int_equal(region[99999], 0);
    assert_int_equal(region[0], 0); /* a page before: another fault */
    sigaction(SIGBUS, &before, NULL);
    assert_int_equal(file.failed, GROWING_FILE_CUT);
    assert_null(growing_file_take(&file, 1));
    assert_int_equal(length_of(name), 0);
    growing_file_close(&file);
}

static void a_pipe_cannot_be_mapped(void **state)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(growing_file_open(&file, ends[1], name, 0), ENODEV);
    assert_false(growing_file_is_open(&file));
    close(ends[0]);
    close(ends[1]);
}

/* A view of three pages, of which the last is mapped when it is asked for. */
static void a_view_becomes_longer_where_it_stands(void **state)
{
    enum { PAGE = GROWING_FILE_PAGE_BYTES };
    const struct file_view_area area = {file_view_area_of_sections.first_place, 1 << 20, 3};
    struct file_view views[4];
    if (IS_ADDRESS_SANITIZED) /* its heap lies there */
        return;
    open_new(0);
    assert_non_null(growing_file_take(&file, 3 * PAGE));
    int fd = open(name, O_RDWR);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(file_view_map(&views[i], &area, 1, fd, 0, 2 * PAGE, 3 * PAGE), 0);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal((uintptr_t)views[i].base, area.first_place + (1 + i) % 3 * (1 << 20));
        assert_int_equal(views[i].bytes, 2 * PAGE);
        assert_int_equal(file_view_widen(&views[i], 3 * PAGE), 0);
    }
    assert_int_equal(views[3].bytes, 3 * PAGE); /* no place was left: the whole, somewhere else */
    file.view.base[2 * PAGE] = 'x';
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(views[i].base[2 * PAGE], 'x');
        file_view_unmap(&views[i]);
        assert_null(views[i].base);
    }
    close(fd);
    growing_file_close(&file);
}

int main(void)
{
    return RUN_TESTS_WITHIN(
        make_folder, remove_folder, what_was_stored_survives_sigkill,
        regions_are_whole_pages_of_zeros_one_after_another, threads_never_share_a_region,
        limits_are_errors_and_never_signals, a_descriptor_is_another_way_to_the_file,
        a_file_of_another_is_never_touched, a_full_disk_is_an_error,
        what_is_reserved_is_there_without_a_system_call, a_child_that_leaves_it_writes_nothing,
        a_file_that_was_cut_does_not_grow, one_that_got_its_length_back_does_not_grow_either,
        what_was_cut_off_is_replaced_in_the_handler, a_pipe_cannot_be_mapped,
        a_view_becomes_longer_where_it_stands);
}
