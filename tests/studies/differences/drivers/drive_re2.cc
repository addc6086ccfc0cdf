/* drive_re2.cc: matches the lines of a text.
 *   program count FILE PATTERN TIMES     lines that match
 *   program each FILE PATTERN TIMES      the same; the caller has the pattern as text
 *   program groups FILE PATTERN TIMES    two groups of every line
 *   program threads FILE PATTERN TIMES   two threads count */
#include "re2/re2.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

static constexpr int counter_count = 2;

using lines = std::vector<std::string>;

/* Compiled patterns are kept: a caller asks for the same one again and again. */
static std::shared_ptr<const RE2> pattern_of(const std::string &text)
{
    static std::unordered_map<std::string, std::shared_ptr<const RE2>> kept;
    auto &slot = kept[text];
    if (!slot)
        slot = std::make_shared<const RE2>(text);
    return slot;
}

static long count_matches(const lines &all, const RE2 &pattern)
{
    long found = 0;
    for (const auto &line : all)
        found += RE2::PartialMatch(line, pattern);
    return found;
}

static long count_each(const lines &all, const std::string &text)
{
    long found = 0;
    for (const auto &line : all)
        found += RE2::PartialMatch(line, *pattern_of(text));
    return found;
}

static long count_groups(const lines &all, const RE2 &pattern)
{
    long size = 0;
    re2::StringPiece first, second;
    for (const auto &line : all)
        if (RE2::FullMatch(line, pattern, &first, &second))
            size += static_cast<long>(first.size() + 10 * second.size());
    return size;
}

static void count_share(const lines &all, const RE2 &pattern, int times, long *found)
{
    for (int i = 0; i < times; i++)
        *found += count_matches(all, pattern);
}

static long count_threads(const lines &all, const RE2 &pattern, int times)
{
    std::vector<std::thread> counters;
    long found[2] = {0, 0};
    for (int i = 0; i < counter_count; i++)
        counters.emplace_back(count_share, std::cref(all), std::cref(pattern),
                              times / counter_count, &found[i]);
    for (auto &counter : counters)
        counter.join();
    return found[0] + found[1];
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    lines all;
    std::ifstream file(argv[2]);
    for (std::string line; std::getline(file, line);)
        all.push_back(line);
    const std::string mode = argv[1], text = argv[3];
    const int times = std::atoi(argv[4]);
    const RE2 pattern(text);
    long result = mode == "threads" ? count_threads(all, pattern, times) : 0;
    for (int i = 0; i < times && mode != "threads"; i++)
        result += mode == "each"     ? count_each(all, text)
                  : mode == "groups" ? count_groups(all, pattern)
                                     : count_matches(all, pattern);
    std::printf("%ld\n", result);
    return 0;
}
