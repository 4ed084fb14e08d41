#include "fleet/ingest/debuginfod.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/affix.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/hex.h"
#include "base/map.h"
#include "net/curl.h"

enum { PATH_BYTES = 4096, ID_BYTES_MAX = 64, MISSING_MAX = 100000 };

struct debuginfod {
    char *folder, *urls;
    CURL *curl;
    struct map missing; /* build id, hashed -> seconds since `began`, when no server had it */
    int64_t began;
};

/* ---- Where it goes ------------------------------------------------------------------- */

/* Makes the folders, too.  False where the path is too long, or that fails. */
static bool place_of(const struct debuginfod *debuginfod, const char *hex, char path[PATH_BYTES])
{
    int size = snprintf(path, PATH_BYTES, "%s/.build-id", debuginfod->folder);
    if (size >= PATH_BYTES || (mkdir(path, 0777) != 0 && errno != EEXIST))
        return false;
    size = snprintf(path, PATH_BYTES, "%s/.build-id/%.2s", debuginfod->folder, hex);
    if (size >= PATH_BYTES || (mkdir(path, 0777) != 0 && errno != EEXIST))
        return false;
    size =
        snprintf(path, PATH_BYTES, "%s/.build-id/%.2s/%s.debug", debuginfod->folder, hex, hex + 2);
    return size < PATH_BYTES;
}

/* ---- Fetching ------------------------------------------------------------------------ */

/* True where the whole of it is in the file. */
static bool load(const struct debuginfod *debuginfod, const char *url, FILE *file)
{
    CURL *curl = debuginfod->curl;
    long status = 0;
    bool done = curl_easy_setopt(curl, CURLOPT_URL, url) == CURLE_OK &&
                curl_easy_setopt(curl, CURLOPT_WRITEDATA, file) == CURLE_OK &&
                curl_easy_perform(curl) == CURLE_OK &&
                curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK;
    return done && status == 200 && fflush(file) == 0;
}

/* From one server into the place, by another name first. */
static bool load_into(const struct debuginfod *debuginfod, const char *url, const char *hex,
                      const char *path)
{
    char whole[PATH_BYTES], made[PATH_BYTES];
    if (snprintf(whole, sizeof whole, "%s/buildid/%s/debuginfo", url, hex) >= PATH_BYTES ||
        snprintf(made, sizeof made, "%s.XXXXXX", path) >= PATH_BYTES)
        return false;
    int fd = mkstemp(made);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!file) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    bool done = load(debuginfod, whole, file);
    done = fclose(file) == 0 && done && chmod(made, 0644) == 0 && rename(made, path) == 0;
    if (!done)
        unlink(made);
    return done;
}

/* From the first server that has it. */
static bool load_from_any(const struct debuginfod *debuginfod, const char *hex, const char *path)
{
    char *urls = strdup(debuginfod->urls), *rest = urls, *url;
    bool done = false;
    while (urls && !done && (url = strsep(&rest, " ")))
        done = *url && load_into(debuginfod, url, hex, path);
    free(urls);
    return done;
}

void debuginfod_fetch(struct debuginfod *debuginfod, const uint8_t *id, size_t id_size)
{
    char hex[2 * ID_BYTES_MAX + 1], path[PATH_BYTES];
    int64_t now = clock_us(CLOCK_MONOTONIC) / 1000000 - debuginfod->began;
    bool fresh;
    if (id_size < 4 || id_size > ID_BYTES_MAX)
        return;
    uint64_t key = XXH3_64bits(id, id_size);
    const uint32_t *asked = map_find(&debuginfod->missing, key);
    if (asked && now - *asked < DEBUGINFOD_AGAIN_SECONDS)
        return;
    hex_put(hex, id, id_size);
    if (!place_of(debuginfod, hex, path) || access(path, F_OK) == 0 ||
        load_from_any(debuginfod, hex, path))
        return;
    if (debuginfod->missing.count >= MISSING_MAX) {
        map_release(&debuginfod->missing);
        debuginfod->missing = (struct map){0};
    }
    uint32_t *missing = map_put(&debuginfod->missing, key, (uint32_t)now, &fresh);
    if (missing)
        *missing = (uint32_t)now;
}

/* ---- All ----------------------------------------------------------------------------- */

static bool set_up(struct debuginfod *debuginfod)
{
    CURL *curl = debuginfod->curl = curl_easy_init();
    return curl && !curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https") &&
           !curl_easy_setopt(curl, CURLOPT_USERAGENT, "heaptap") &&
           !curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L) &&
           !curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L) &&
           !curl_easy_setopt(curl, CURLOPT_MAXREDIRS, 5L) &&
           !curl_easy_setopt(curl, CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)DEBUGINFOD_BYTES_MAX) &&
           !curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)DEBUGINFOD_SECONDS) &&
           !curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)DEBUGINFOD_CONNECT_SECONDS);
}

static enum heaptap_status check_urls(const char *folder, const char *urls,
                                      struct heaptap_error *error)
{
    if (!folder)
        return error_set(error, HEAPTAP_BAD_ARGUMENT,
                         "files of debuginfod need a folder to be kept in: --debug-files DIR");
    if (access(folder, W_OK | X_OK) != 0)
        return error_system(error, folder);
    for (const char *at = urls; *at; at += strcspn(at, " ")) {
        at += strspn(at, " ");
        if (*at && !begins_with(at, "http://") && !begins_with(at, "https://"))
            return error_set(error, HEAPTAP_BAD_ARGUMENT,
                             "'%.*s' is no address of a debuginfod server: use http://HOST or "
                             "https://HOST",
                             (int)strcspn(at, " "), at);
    }
    return HEAPTAP_OK;
}

enum heaptap_status debuginfod_new(struct debuginfod **made, const char *folder, const char *urls,
                                   struct heaptap_error *error)
{
    *made = NULL;
    enum heaptap_status status = check_urls(folder, urls, error);
    if (status == HEAPTAP_OK)
        status = net_curl_load(error);
    if (status != HEAPTAP_OK)
        return status;
    struct debuginfod *debuginfod = calloc(1, sizeof *debuginfod);
    if (!debuginfod)
        return error_no_memory(error);
    debuginfod->folder = strdup(folder);
    debuginfod->urls = strdup(urls);
    debuginfod->began = clock_us(CLOCK_MONOTONIC) / 1000000;
    if (debuginfod->folder && debuginfod->urls && set_up(debuginfod)) {
        *made = debuginfod;
        return HEAPTAP_OK;
    }
    debuginfod_free(debuginfod);
    return error_no_memory(error);
}

void debuginfod_free(struct debuginfod *debuginfod)
{
    if (!debuginfod)
        return;
    if (debuginfod->curl)
        curl_easy_cleanup(debuginfod->curl);
    map_release(&debuginfod->missing);
    free(debuginfod->folder);
    free(debuginfod->urls);
    free(debuginfod);
}
