/* What the viewer keeps of filters that were asked for. */
#include "unit/unit.h"

#include "helpers/story.h"
#include "page/dataset.h"
#include "profile/model_trace.h"
#include "report/reports.h"

static struct viewer_dataset *open_story(void)
{
    struct bytes bytes = {0};
    struct model *model;
    story_write(&bytes);
    struct heaptap_reader *reader = open_bytes(&bytes, &in_true_order);
    assert_int_equal(model_read(&model, reader, NULL), HEAPTAP_OK);
    heaptap_reader_close(reader);
    bytes_release(&bytes);
    struct viewer_dataset *dataset = viewer_dataset_new(model, "story", NULL);
    assert_non_null(dataset);
    return dataset;
}

/* Asks for a report under a filter; how many samples it is of. */
static uint64_t ask(struct viewer_dataset *dataset, const char *name, const char *filter)
{
    struct question question = question_of(report_entry_find(name));
    struct report report = {.options = &question, .input.model = dataset->model};
    struct report_problem problem;
    assert_true(viewer_dataset_report(dataset, filter, &report, &problem));
    uint64_t samples = report.selection.profile.total.samples;
    report_release_figures(&report);
    return samples;
}

static const struct viewer_selected *find_kept(const struct viewer_dataset *dataset,
                                               const char *filter)
{
    for (int i = 0; i < VIEWER_SELECTED_MAX; i++)
        if (dataset->kept[i].text && strcmp(dataset->kept[i].text, filter) == 0)
            return &dataset->kept[i];
    return NULL;
}

static int count_kept(const struct viewer_dataset *dataset)
{
    int count = 0;
    for (int i = 0; i < VIEWER_SELECTED_MAX; i++)
        count += dataset->kept[i].text != NULL;
    return count;
}

static void keeps_so_many(void **state)
{
    static const char *const filters[] = {"", "size>=8", "size>=16", "size>=24", "size>=32"};
    struct viewer_dataset *dataset = open_story();
    for (size_t i = 0; i < 4; i++)
        ask(dataset, "tree", filters[i]);
    assert_int_equal(count_kept(dataset), VIEWER_SELECTED_MAX);
    ask(dataset, "tree", filters[0]); /* once more: the oldest is the second now */
    ask(dataset, "tree", filters[4]);
    assert_int_equal(count_kept(dataset), VIEWER_SELECTED_MAX);
    assert_non_null(find_kept(dataset, filters[0]));
    assert_null(find_kept(dataset, filters[1]));
    assert_non_null(find_kept(dataset, filters[4]));
    viewer_dataset_free(dataset);
}

static void large_ones_are_dropped(void **state)
{
    static const char *const filters[] = {"", "size>=8", "size>=16", "size>=24"};
    struct viewer_dataset *dataset = open_story();
    dataset->most_bytes = 0;
    for (size_t i = 0; i < 4; i++) {
        ask(dataset, "tree", filters[i]);
        assert_int_equal(count_kept(dataset), i == 0 ? 1 : 2);
        assert_non_null(find_kept(dataset, filters[i]));
        assert_true(i == 0 || find_kept(dataset, filters[i - 1]));
    }
    viewer_dataset_free(dataset);
}

/* At exactly the bound nothing is dropped; a byte below it all but the last. */
static void bytes_of_both_kinds_count(void **state)
{
    struct viewer_dataset *dataset = open_story();
    ask(dataset, "tree", "");
    ask(dataset, "hotspots", "");
    ask(dataset, "tree", "size>=8");
    const struct viewer_selected *first = find_kept(dataset, ""),
                                 *second = find_kept(dataset, "size>=8");
    size_t both = selection_bytes(&first->report.selection) + selection_bytes(&first->by_site) +
                  selection_bytes(&second->report.selection);
    assert_true(selection_bytes(&first->by_site) > 0);
    assert_int_equal(selection_bytes(&second->by_site), 0);
    dataset->most_bytes = both;
    ask(dataset, "tree", "size>=16");
    assert_int_equal(count_kept(dataset), 3);
    dataset->most_bytes = both - 1;
    ask(dataset, "tree", "size>=24");
    assert_int_equal(count_kept(dataset), 2);
    assert_null(find_kept(dataset, ""));
    assert_non_null(find_kept(dataset, "size>=16"));
    viewer_dataset_free(dataset);
}

/* Reports by site have other stacks of the same rows, which all filters with the same clauses on stacks share. */
static void edits_are_shared(void **state)
{
    struct viewer_dataset *dataset = open_story();
    assert_int_equal(ask(dataset, "tree", ""), ALL_BLOCKS);
    assert_int_equal(ask(dataset, "tree", "size>=16"), ALL_BLOCKS - A);
    assert_int_equal(ask(dataset, "hotspots", ""), ALL_BLOCKS);
    assert_int_equal(ask(dataset, "hotspots", "size>=16"), ALL_BLOCKS - A);
    assert_int_equal(count_kept(dataset), 2);
    const struct stack_edit *edit = find_kept(dataset, "")->by_site.edit;
    assert_non_null(edit);
    assert_ptr_equal(find_kept(dataset, "size>=16")->by_site.edit, edit);
    assert_int_equal(edit->users, 3);                               /* and the dataset */
    assert_ptr_equal(edit->trie.nodes, dataset->model->trie.nodes); /* no frame goes */

    ask(dataset, "hotspots", "hide=main");
    ask(dataset, "hotspots", "show=main");
    assert_ptr_equal(find_kept(dataset, "")->by_site.edit, edit); /* no longer kept, but in use */
    assert_int_equal(edit->users, 2);
    assert_int_equal(ask(dataset, "hotspots", ""), ALL_BLOCKS);
    viewer_dataset_free(dataset);
}

/* A flame graph's selection lacks the stacks that are left out; no other report gets it. */
static void compact_ones_are_apart(void **state)
{
    struct viewer_dataset *dataset = open_story();
    ask(dataset, "flamegraph", "size>=16");
    ask(dataset, "tree", "size>=16");
    assert_int_equal(count_kept(dataset), 2);
    ask(dataset, "tree", "size>=16");
    assert_int_equal(count_kept(dataset), 2);
    viewer_dataset_free(dataset);
}

int main(void)
{
    return RUN_TESTS(keeps_so_many, large_ones_are_dropped, bytes_of_both_kinds_count,
                     edits_are_shared, compact_ones_are_apart);
}
