#include "profile/moment.h"

#include <string.h>

/* In the order of keys. */
static const char *const keys[MOMENT_LABELS] = {"instance",         "part", "part_us", "profiles",
                                                "profiles_of_part", "run",  "version"};

int moment_labels(const struct moment *moment, struct model_label labels[MOMENT_LABELS])
{
    const struct model_label made[MOMENT_LABELS] = {{.text = moment->instance},
                                                    {.number = moment->part},
                                                    {.number = moment->part_us},
                                                    {.number = moment->profiles},
                                                    {.number = moment->profiles_of_part},
                                                    {.number = moment->run},
                                                    {.text = moment->version}};
    int count = 0;
    for (int i = 0; i < MOMENT_LABELS; i++) {
        if (made[i].text && !*made[i].text)
            continue;
        labels[count] = made[i];
        labels[count].key = keys[i];
        labels[count++].unit = "";
    }
    return count;
}

static const struct model_label *find(const struct model_samples *samples,
                                      const struct model_label_set *set, const char *key)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (strcmp(samples->label[set->first + i].key, key) == 0)
            return &samples->label[set->first + i];
    return NULL;
}

static bool get_number(int64_t *number, const struct model_label *label)
{
    if (label && !label->text)
        *number = label->number;
    return label && !label->text;
}

bool moment_of(struct moment *moment, const struct model *model, uint32_t label_set)
{
    const struct model_samples *samples = &model->samples;
    const struct model_label_set *set = &samples->sets[label_set];
    const struct model_label *found[MOMENT_LABELS];
    for (int i = 0; i < MOMENT_LABELS; i++)
        found[i] = find(samples, set, keys[i]);
    const struct model_label *instance = found[0], *version = found[MOMENT_LABELS - 1];
    *moment = (struct moment){.instance = instance && instance->text ? instance->text : "",
                              .version = version && version->text ? version->text : ""};
    return get_number(&moment->part, found[1]) && get_number(&moment->part_us, found[2]) &&
           get_number(&moment->profiles, found[3]) &&
           get_number(&moment->profiles_of_part, found[4]) && get_number(&moment->run, found[5]) &&
           moment->part >= 0 && moment->part < MOMENT_PARTS && moment->part_us > 0 &&
           moment->profiles_of_part > 0;
}
