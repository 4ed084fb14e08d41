/* Asking a profile from heaptap/profile.h alone: the five functions that allocate most, under a
 * filter.
 *
 *     read_profile FILE [FILTER [SAMPLE-TYPE]] */
#include <stdio.h>
#include <stdlib.h>

#include <heaptap/profile.h>

static int fail(const char *what, const struct heaptap_error *error)
{
    fprintf(stderr, "%s: %s\n", what, error->message);
    return EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    struct heaptap_profile *profile;
    struct heaptap_selection *selection;
    struct heaptap_error error;
    const struct heaptap_row *rows;
    size_t count;
    if (argc < 2 || argc > 4)
        return EXIT_FAILURE;
    const char *filter = argc > 2 ? argv[2] : "", *type = argc > 3 ? argv[3] : NULL;
    if (heaptap_profile_open(&profile, argv[1], &error) != HEAPTAP_OK) {
        heaptap_profile_close(profile); /* there may be one, of what stands before the damage */
        return fail(argv[1], &error);
    }
    int status = EXIT_FAILURE;
    if (heaptap_profile_select(&selection, profile, filter, type, &error) != HEAPTAP_OK) {
        fail(filter, &error);
    } else if (heaptap_selection_rows(selection, HEAPTAP_FUNCTIONS, &rows, &count, &error)) {
        fail(argv[1], &error);
    } else {
        struct heaptap_sample_type what = heaptap_selection_type(selection);
        printf("%.0f of %.0f %s of %s\n", heaptap_selection_total(selection),
               heaptap_selection_whole(selection), what.unit, what.name);
        for (size_t i = 0; i < count && i < 5; i++)
            printf("%12.0f %12.0f  %s\n", rows[i].flat, rows[i].cum, rows[i].name);
        status = EXIT_SUCCESS;
    }
    heaptap_selection_free(selection);
    heaptap_profile_close(profile);
    return status;
}
