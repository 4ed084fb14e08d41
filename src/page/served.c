#include "page/served.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "page/assets.h"

enum { GZIP_WINDOW = 15 + 16, GZIP_MEMORY = 8, GZIP_LEVEL = 6 };

struct net_answer viewer_asset(const char *type, const char *text)
{
    return (struct net_answer){VIEWER_FINE, type, (char *)text, strlen(text), true};
}

struct net_answer viewer_asset_of(enum viewer_subject subject)
{
    static const char script[] = "text/javascript; charset=utf-8";
    switch (subject) {
    case VIEWER_PAGE:
        return viewer_asset("text/html; charset=utf-8", viewer_page_html);
    case VIEWER_SCRIPT:
        return viewer_asset(script, viewer_page_script);
    case VIEWER_STYLE:
        return viewer_asset("text/css; charset=utf-8", viewer_page_style);
    case VIEWER_LAYOUT:
        return viewer_asset(script, viewer_layout_script);
    case VIEWER_ICON:
        return viewer_asset("image/svg+xml", viewer_page_icon);
    default:
        return (struct net_answer){0};
    }
}

/* Fills `text`, which is malloc'ed; false where it can't. */
static bool pack(const struct net_answer *asset, char **text, size_t *size)
{
    z_stream stream = {0};
    if (deflateInit2(&stream, GZIP_LEVEL, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return false;
    size_t room = deflateBound(&stream, asset->size);
    *text = malloc(room);
    stream.next_in = (Bytef *)asset->text;
    stream.avail_in = (uInt)asset->size;
    stream.next_out = (Bytef *)*text;
    stream.avail_out = (uInt)room;
    bool done = *text && deflate(&stream, Z_FINISH) == Z_STREAM_END;
    *size = stream.total_out;
    deflateEnd(&stream);
    if (!done)
        free(*text);
    return done;
}

struct net_answer viewer_asset_packed(const struct net_answer *asset,
                                      const struct net_request *request)
{
    struct net_answer packed = *asset;
    if (!asset->is_static || !net_request_takes_gzip(request) ||
        !pack(asset, &packed.text, &packed.size))
        return *asset;
    packed.is_static = false;
    packed.is_gzip = true;
    return packed;
}
