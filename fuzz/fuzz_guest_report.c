/* Any bytes at all, given to the reader of what a watched heap leaves: what it accepts must hold
 * together. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "format/import/guest_report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void check(const struct guest_profile *profile)
{
    require(profile->heap_count == 1 && profile->heaps[0].language);
    const struct model *model = profile->model;
    for (size_t i = 1; i < model->trie.count; i++)
        require(model->trie.nodes[i].parent < i && model->trie.nodes[i].frame < model->frame_count);
    for (size_t i = 0; i < guest_profile_rows(profile); i++) {
        struct guest_profile_row row = guest_profile_row(profile, i);
        require(row.node != STACK_ROOT && row.node < model->trie.count);
        require(row.type < model->type_count && row.heap == 0);
        for (int value = 0; value < GUEST_VALUES; value++)
            require(row.tally.of[value] >= 0);
    }
}

/* The reader wants a file, as it reads a report that is still being written. */
static int file_of(const uint8_t *data, size_t size, char *path, size_t path_size)
{
    int fd = memfd_create("report", MFD_CLOEXEC);
    require(fd >= 0 && pwrite(fd, data, size, 0) == (ssize_t)size);
    snprintf(path, path_size, "/proc/self/fd/%d", fd);
    return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    struct guest_profile profile = {0};
    struct guest_report_identity identity;
    struct heaptap_error error = {0};
    int fd = file_of(data, size, path, sizeof path);
    require(guest_profile_init(&profile));
    bool is_one = guest_report_identify(path, &identity, &error) == HEAPTAP_OK;
    enum heaptap_status status = guest_report_read(&profile, path, &error);
    require(status == HEAPTAP_OK || (error.status == status && error.message[0]));
    require(is_one || status != HEAPTAP_OK);
    if (status == HEAPTAP_OK)
        check(&profile);
    guest_profile_release(&profile);
    close(fd);
    return 0;
}
