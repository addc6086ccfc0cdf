/* A name is shown alike alone and in sentences; commands keep it whole. */
#include "test_support.h"

#include "base/ids.h"

#define SLOW "sort/rows=1000000,columns=12,version=slow/cpu"
#define FAST "sort/rows=1000000,columns=12,version=fast/cpu"
#define OTHER "sum/rows=1000000,columns=12,version=fast/cpu"

struct scene {
    struct kg_arena arena;
    struct kg_ids ids;
    struct kg_text text;
};

static void scene_begin(struct scene *scene)
{
    static const char *const names[] = {SLOW, OTHER, FAST, SLOW};
    *scene = (struct scene){0};
    assert_true(kg_ids_make(&scene->arena, names, 4, &scene->ids));
}

static void scene_end(struct scene *scene)
{
    kg_text_free(&scene->text);
    kg_arena_free(&scene->arena);
}

static void a_name_is_the_same_alone_and_in_a_sentence(void **state)
{
    (void)state;
    struct scene scene;
    static const char sentence[] = "slower than '" FAST "', by (" SLOW "): " SLOW "x";
    scene_begin(&scene);
    kg_ids_see(&scene.ids, SLOW);
    kg_ids_see_in(&scene.ids, sentence);
    assert_true(kg_ids_shorten(&scene.arena, &scene.ids, 30));
    assert_string_equal(kg_ids_shown(&scene.ids, SLOW), "sort/…version=slow/cpu");
    assert_string_equal(kg_ids_shown(&scene.ids, OTHER), OTHER); /* it is not shown anywhere */
    assert_string_equal(kg_ids_shown(&scene.ids, "none"), "none");
    kg_ids_append(&scene.ids, sentence, &scene.text);
    assert_string_equal(scene.text.data, "slower than 'sort/…version=fast/cpu', by "
                                         "(sort/…version=slow/cpu): " SLOW "x");
    scene_end(&scene);
}

static void a_command_keeps_it_whole(void **state)
{
    (void)state;
    struct scene scene;
    static const char sentence[] = "`kgate explain " FAST " r.json` shows `" FAST "`.";
    scene_begin(&scene);
    kg_ids_see_in(&scene.ids, sentence);
    assert_true(kg_ids_shorten(&scene.arena, &scene.ids, 20));
    kg_ids_append(&scene.ids, sentence, &scene.text);
    assert_string_equal(scene.text.data, "`kgate explain " FAST " r.json` shows `sort/…/cpu`.");
    scene_end(&scene);
}

static void without_names_a_sentence_stays(void **state)
{
    (void)state;
    struct kg_ids none = {0};
    struct kg_text text = {0};
    kg_ids_append(&none, "slower than " FAST, &text);
    assert_string_equal(text.data, "slower than " FAST);
    assert_string_equal(kg_ids_shown(&none, FAST), FAST);
    kg_text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_is_the_same_alone_and_in_a_sentence),
        cmocka_unit_test(a_command_keeps_it_whole),
        cmocka_unit_test(without_names_a_sentence_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
