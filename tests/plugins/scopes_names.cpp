// scopes_names: the profiler's interface for C++. Without an argument it checks its own recording and
// exits with the number of mistakes. With "flat" it only makes scopes that do not nest, for reports.
#include "kgate/profiler.h"

#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>

namespace
{

volatile double sink;

void spin(int turns)
{
    double value = 1;
    for (int i = 0; i < turns; i++)
        value = value * 1.0000001 + 1e-9;
    sink = value;
}

struct Attention {
    virtual ~Attention() = default;
    virtual int forward(const std::string &text) const
    {
        KGATE_FUNCTION();
        return static_cast<int>(text.size());
    }
};

template <typename Value> struct Linear {
    Value forward(Value value)
    {
        KGATE_FUNCTION();
        return value;
    }
    bool operator()(int a, int b) const
    {
        KGATE_FUNCTION();
        return a < b;
    }
};

void layers()
{
    for (int i = 0; i < 3; i++) {
        KGATE_SCOPE_NAMED("Layer_" + std::to_string(i));
        KGATE_SCOPE_LABELLED("multiply", "size=%d type=%s", 1 << i, "float");
        spin(10);
    }
    const char *name = "of a pointer";
    (void)name;
    KGATE_SCOPE_NAMED(name);
}

int wrapped()
{
    int calls = 0;
    const std::string text = kgate::profiled(
        "wrapped", [&calls](const std::string &given) { return calls++, given + "!"; },
        std::string("value"));
    kgate::profiled(std::string("nothing"), [&calls] { calls++; });
    int &same = kgate::profiled("reference", [&calls]() -> int & { return calls; });
    try {
        kgate::profiled("thrown", [] { throw std::runtime_error("no"); });
    } catch (const std::runtime_error &) {
        same++;
    }
    return text == "value!" ? calls : 0;
}

int mistakes;

unsigned long long calls_of(kgate_profiler *profiler, const char *name)
{
    char message[256] = "";
    kgate_profile_results *results = kgate_profiler_results(profiler, message);
    unsigned long long found = 0;
    if (!results)
        std::fprintf(stderr, "%s\n", message);
    for (size_t i = 0; results && i < results->name_count; i++)
        if (std::strcmp(results->names[i].name, name) == 0 && !results->losses.unfinished)
            found = results->names[i].calls;
    kgate_profile_results_free(results);
    return found;
}

void expect(kgate_profiler *profiler, const char *name, unsigned long long calls)
{
    const unsigned long long found = calls_of(profiler, name);
    if (found == calls)
        return;
    std::fprintf(stderr, "%s: %llu calls, expected %llu\n", name, found, calls);
    mistakes++;
}

void instance()
{
    char message[256] = "";
    kgate_profiler *own = kgate_profiler_new(nullptr, message);
    for (int i = 0; i < 2; i++) {
        KGATE_SCOPE_IN(own, "in the instance");
        kgate_scope_guard guard(
            kgate_scope_begin_named(own, "guarded", KGATE_DEVICE_CPU, nullptr, 0));
    }
    expect(own, "in the instance", 2);
    expect(own, "guarded", 2);
    kgate_profiler_free(own);
}

int flat()
{
    for (int i = 0; i < 20; i++) {
        {
            KGATE_SCOPE("search");
            spin(100000 + 20000 * (i % 3));
        }
        KGATE_SCOPE("multiply");
        spin(20000);
    }
    return 0;
}

} // namespace

int main(int argc, char **argv)
{
    char message[256] = "";
    if (argc > 1 && std::strcmp(argv[1], "flat") == 0)
        return flat();
    if (!kgate_profiler_start(nullptr, message)) {
        std::fprintf(stderr, "%s\n", message);
        return 1;
    }
    layers();
    Attention().forward("text");
    Linear<int>().forward(1);
    Linear<int>()(1, 2);
    if (wrapped() != 3)
        mistakes++;
    instance();
    for (const char *name : {"Layer_0", "Layer_1", "Layer_2", "of a pointer", "Attention::forward",
                             "multiply size=1 type=float", "multiply size=4 type=float", "wrapped",
                             "nothing", "reference", "thrown"})
        expect(nullptr, name, 1);
    // gcc writes the parameter, clang its value
    const bool written = calls_of(nullptr, "Linear<Value>::forward") == 1;
    expect(nullptr, written ? "Linear<Value>::forward" : "Linear<int>::forward", 1);
    expect(nullptr, written ? "Linear<Value>::operator()" : "Linear<int>::operator()", 1);
    expect(nullptr, "in the instance", 0);
    return mistakes;
}
