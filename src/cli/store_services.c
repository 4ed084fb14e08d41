#include "cli/store_services.h"

#include "cli/cli.h"
#include "cli/store_input.h"

int store_services_read(struct services *services, const struct question *question)
{
    struct store *store;
    struct store_selector selector;
    struct heaptap_error error;
    services->options = question;
    services->store = question->path;
    enum heaptap_status status = store_input_choose(&store, &selector, question->path, &error);
    if (status == HEAPTAP_OK)
        status = fleet_services_read(services, store, &selector, &error);
    store_input_close(store, question->path);
    return status == HEAPTAP_OK ? CLI_DONE : cli_fail(question->path, &error);
}
