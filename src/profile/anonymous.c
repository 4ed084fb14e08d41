#include "profile/anonymous.h"

#include <string.h>

#include "base/affix.h"
#include "profile/holders.h"

/* ---- Paths ------------------------------------------------------------------------------- */

/* Of the system, or of a compiler's standard library. */
static bool is_own_path(const char *path)
{
    static const char *const folders[] = {"/usr/",  "/lib/", "/lib64/", "/lib32/", "/bin/",
                                          "/sbin/", "/opt/", "/nix/",   "/rustc/", "/build/"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (begins_with(path, folders[i]))
            return false;
    return *path == '/';
}

/* The bytes of the folder, slash included, that all paths so far have in common. */
struct common {
    const char *path; /* one of them; NULL for none yet */
    size_t size;
};

static void see(struct common *common, const char *path)
{
    size_t alike = 0, folder = 0;
    if (!is_own_path(path))
        return;
    if (!common->path) {
        common->path = path;
        common->size = (size_t)(strrchr(path, '/') + 1 - path);
        return;
    }
    for (; alike < common->size && path[alike] == common->path[alike]; alike++)
        if (path[alike] == '/')
            folder = alike + 1;
    common->size = folder;
}

/* What follows a home folder, "/home/me/"; else the name alone. */
static const char *after_home(const char *path)
{
    static const char *const homes[] = {"/home/", "/Users/", "/root/"};
    for (size_t i = 0; i < sizeof homes / sizeof *homes; i++) {
        size_t size = strlen(homes[i]);
        if (strncmp(path, homes[i], size) != 0)
            continue;
        const char *slash =
            strcmp(homes[i], "/root/") == 0 ? path + size - 1 : strchr(path + size, '/');
        return slash ? slash + 1 : strrchr(path, '/') + 1;
    }
    return strrchr(path, '/') + 1;
}

/* A common folder of one name alone, "/home/", says too little to be left out. */
static const char *shown(const struct common *common, const char *path)
{
    bool is_folder = common->size > 1 && memchr(common->path + 1, '/', common->size - 2);
    if (!is_own_path(path))
        return path;
    return is_folder && strncmp(path, common->path, common->size) == 0 ? path + common->size
                                                                       : after_home(path);
}

/* ---- The model --------------------------------------------------------------------------- */

/* The program's and its sources' tell what is in common; libraries that lie elsewhere, the recorder among them, don't. */
static struct common common_of(const struct model *model)
{
    struct common common = {0};
    see(&common, model->info.executable);
    for (size_t i = 0; i < model->line_count; i++)
        if (model->lines[i].line > 0)
            see(&common, model->lines[i].file);
    return common;
}

struct hiding {
    struct model *model;
    struct common common;
};

/* False when there is no memory. */
static bool hide(const struct hiding *hiding, const char **path)
{
    *path = model_text(hiding->model, shown(&hiding->common, *path));
    return *path;
}

static bool hide_roots(const struct hiding *hiding)
{
    const struct model *model = hiding->model;
    for (size_t i = 0; model->holders && i < model->holders->count; i++) {
        const struct holders_snapshot *snapshot = &model->holders->snapshots[i];
        for (size_t j = 0; j < snapshot->root_count; j++) {
            struct holders_root *root = &snapshot->roots[j];
            if (!hide(hiding, &root->file) || !hide(hiding, &root->module) ||
                !hide(hiding, &root->name))
                return false;
        }
    }
    return true;
}

static bool hide_paths(const struct hiding *hiding)
{
    struct model *model = hiding->model;
    bool done = hide(hiding, &model->info.executable);
    for (size_t i = 0; done && i < model->line_count; i++)
        done = hide(hiding, &model->lines[i].file) && hide(hiding, &model->lines[i].function);
    for (size_t i = 0; done && i < model->module_count; i++)
        done = hide(hiding, &model->modules[i].path);
    for (size_t i = 0; done && i < model->domain_count; i++)
        done = hide(hiding, &model->domains[i].program);
    return done && hide_roots(hiding);
}

bool model_make_anonymous(struct model *model)
{
    const struct hiding hiding = {model, common_of(model)};
    model->info.host = model->info.context = model->info.runtime_params = "";
    model->info.pid = 0;
    for (size_t i = 0; i < model->domain_count; i++) {
        model->domains[i].pid = 0;
        model->domains[i].thread = model->domains[i].thread ? i + 1 : 0;
    }
    return hide_paths(&hiding);
}
