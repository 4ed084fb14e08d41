#include "viewer/served.h"

#include <stddef.h>

#include "viewer/assets.h"

const struct url_header viewer_headers[] = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
     "connect-src 'self'; img-src 'self' blob: data:; base-uri 'none'; form-action 'none'; "
     "frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cache-Control", "no-store"},
    {NULL, NULL},
};

struct viewer_asset viewer_asset_of(enum viewer_subject subject)
{
    static const char script[] = "text/javascript; charset=utf-8";
    switch (subject) {
    case VIEWER_PAGE:
        return (struct viewer_asset){"text/html; charset=utf-8", viewer_page_html};
    case VIEWER_SCRIPT:
        return (struct viewer_asset){script, viewer_page_script};
    case VIEWER_STYLE:
        return (struct viewer_asset){"text/css; charset=utf-8", viewer_page_style};
    case VIEWER_LAYOUT:
        return (struct viewer_asset){script, viewer_layout_script};
    case VIEWER_ICON:
        return (struct viewer_asset){"image/svg+xml", viewer_page_icon};
    default:
        return (struct viewer_asset){0};
    }
}
