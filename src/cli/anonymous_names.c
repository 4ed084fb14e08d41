#include "cli/anonymous_names.h"

#include <stdio.h>
#include <stdlib.h>

bool anonymous_names_init(struct anonymous_names *names, const struct heaptap_reader *reader)
{
    *names = (struct anonymous_names){.reader = reader};
    names->texts = calloc(HEAPTAP_LOCATIONS_MAX, sizeof *names->texts);
    return names->texts;
}

void anonymous_names_release(struct anonymous_names *names)
{
    map_release(&names->files);
    map_release(&names->words);
    map_release(&names->functions);
    map_release(&names->positions);
    map_release(&names->next_lines);
    free(names->texts);
}

uint64_t anonymous_names_code(void *context, uint32_t frame)
{
    return frame;
}

/* The number of `key`, from 1 in order of appearance. */
static uint32_t number_of(struct anonymous_names *names, struct map *map, uint64_t key)
{
    bool fresh;
    uint32_t *number = map_put(map, key, (uint32_t)map->count + 1, &fresh);
    names->out_of_memory |= !number;
    return number ? *number : 0;
}

/* The line that stands for a position in function `function`. */
static uint32_t line_of(struct anonymous_names *names, uint32_t function,
                        const struct heaptap_location *location)
{
    bool fresh;
    uint64_t position = (uint64_t)function << 38 | (uint64_t)location->line << 18 |
                        (uint64_t)location->start_char << 10 | location->end_char;
    uint32_t *line = map_put(&names->positions, position, 0, &fresh);
    uint32_t *last = line && fresh ? map_put(&names->next_lines, function, 0, &fresh) : NULL;
    names->out_of_memory |= !line;
    if (last)
        *line = ++*last;
    return line ? *line : 0;
}

size_t anonymous_names_describe(void *context, uint64_t code, struct heaptap_location *locations,
                                size_t max)
{
    struct anonymous_names *names = context;
    size_t count;
    const struct heaptap_location *known =
        heaptap_reader_frame_locations(names->reader, (uint32_t)code, &count);
    if (count > max)
        count = max;
    for (size_t i = 0; i < count; i++) {
        uint32_t file = number_of(names, &names->files, (uintptr_t)known[i].file);
        uint32_t word = number_of(names, &names->words, (uintptr_t)known[i].function);
        uint32_t function = number_of(names, &names->functions, (uint64_t)file << 32 | word);
        snprintf(names->texts[i][0], sizeof names->texts[i][0], "m%u", file);
        snprintf(names->texts[i][1], sizeof names->texts[i][1], "f%u", function);
        locations[i] = (struct heaptap_location){
            .file = names->texts[i][0],
            .function = names->texts[i][1],
            .line = line_of(names, function, &known[i]),
        };
    }
    return count;
}
