#include "tap/trace/trace_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "tap/inside/kernel.h"
#include "tap/inside/say.h"
#include "tap/trace/stop_room.h"

/* A pipe is opened for writing alone, so that it has an end. */
static int open_for_writing(const char *path)
{
    struct stat status;
    bool special = !kernel_failed(kernel_stat(path, &status)) && !S_ISREG(status.st_mode);
    return kernel_open(
        path, (special ? O_WRONLY : O_RDWR) | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
}

int trace_file_open(struct trace_file *file, const char *path, bool keeps_descriptor)
{
    int fd = open_for_writing(path);
    file->fd = -1;
    file->stop = NULL;
    if (kernel_failed(fd))
        return -fd;
    bool in_place = growing_file_open(&file->place, fd, path, 0) == 0;
    if (in_place && !keeps_descriptor)
        kernel_close(fd);
    else
        file->fd = kernel_out_of_the_way(fd);
    if (in_place && keeps_descriptor)
        growing_file_use_descriptor(&file->place, file->fd);
    return 0;
}

static int write_packet(void *context, const void *data, size_t size)
{
    const struct trace_file *file = context;
    return kernel_write_quietly(file->fd, data, size);
}

enum heaptap_status trace_file_new_writer(struct trace_file *file, struct heaptap_writer **writer,
                                          const struct heaptap_trace_info *info,
                                          struct heaptap_writer_options *options,
                                          void (*full)(void *context, int code), void *context,
                                          struct heaptap_error *error)
{
    if (growing_file_is_open(&file->place))
        return writer_new_in_place(writer, info, options, &file->place, full, context, error);
    options->sink.write = write_packet;
    options->sink.context = file;
    return heaptap_writer_new(writer, info, options, error);
}

int trace_file_keep_stop_room(struct trace_file *file, struct heaptap_domain *domain)
{
    file->stop = stop_room_keep(domain);
    return heaptap_writer_errno(domain->writer);
}

void trace_file_put_stop(const struct trace_file *file, int64_t time_us, int code)
{
    if (file->stop)
        stop_room_fill(file->stop, time_us, say_errno(code));
}

void trace_file_flush(const struct trace_file *file, struct heaptap_domain *domain)
{
    if (growing_file_is_open(&file->place))
        regions_leave(domain);
    else
        heaptap_domain_flush(domain);
}

static void close_descriptor(struct trace_file *file)
{
    if (file->fd >= 0)
        kernel_close(file->fd);
    file->fd = -1;
}

void trace_file_close(struct trace_file *file)
{
    file->stop = NULL;
    if (growing_file_is_open(&file->place)) {
        growing_file_trim(&file->place);
        growing_file_close(&file->place);
    }
    close_descriptor(file);
}

void trace_file_leave_to_parent(struct trace_file *file, bool interrupted)
{
    file->stop = NULL;
    close_descriptor(file);
    growing_file_leave_to_parent(&file->place, interrupted);
}
