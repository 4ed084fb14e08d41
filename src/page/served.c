#include "page/served.h"

#include <string.h>

#include "page/assets.h"

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
