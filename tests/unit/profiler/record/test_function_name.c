/* The short name of a function, from the signatures of gcc and clang. */
#include "test_support.h"

#include "profiler/record/site.h"

static const struct {
    const char *signature, *name;
} rows[] = {
    {"forward", "forward"}, /* C's __func__ */
    {"int main(int, char**)", "main"},
    {"virtual int Attention::forward(const std::string&) const", "Attention::forward"},
    {"static constexpr double ns::Layer::size() noexcept", "ns::Layer::size"},
    {"const char* ns::name(int)", "ns::name"},
    {"const char *ns::name(int)", "ns::name"},
    {"std::map<int, std::vector<int> > List<T>::of(T) [with T = int]", "List<T>::of"},
    {"T max(T, T) [T = int]", "max"},
    {"int {anonymous}::hidden(int)", "hidden"},
    {"int (anonymous namespace)::hidden(int)", "hidden"},
    {"main()::<lambda(int)>", "main::<lambda(int)>"},
    {"auto main()::(anonymous class)::operator()(int) const", "main::operator()"},
    {"bool Less::operator()(int, int) const", "Less::operator()"},
    {"bool ns::operator<(const A&, const A&)", "ns::operator<"},
    {"A::operator bool() const", "A::operator bool"},
    {"std::ostream& operator<<(std::ostream&, const A&)", "operator<<"},
    {"decltype (auto) ns::value(T) [with T = int]", "ns::value"},
    {"Layer::~Layer()", "Layer::~Layer"},
    {"void operators(int)", "operators"},
};

static void signatures_become_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[128];
        snprintf(text, sizeof text, "%s", rows[i].signature);
        kg_function_name(text);
        if (strcmp(text, rows[i].name) != 0)
            fail_msg("'%s' becomes '%s', not '%s'", rows[i].signature, text, rows[i].name);
    }
}

/* Text that is no signature may become any text, but is read and written only inside. */
static void other_text_does_no_harm(void **state)
{
    static const char *const texts[] = {"(",          ")(",   "<(",        "operator",
                                        "operator(",  "::(",  " ( )",      "a(b(c",
                                        "()::()::()", ">>>(", "operator<", "&*("};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[32];
        snprintf(text, sizeof text, "%s", texts[i]);
        kg_function_name(text);
        assert_true(strlen(text) <= strlen(texts[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signatures_become_names),
        cmocka_unit_test(other_text_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
