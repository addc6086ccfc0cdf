/* drive_nlohmann.cpp: what an application does with a parsed text.
 *   program parse|lookup|sum|threads FILE TIMES */
#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

using nlohmann::json;

static constexpr int checker_count = 2;

__attribute__((noinline)) static int value_of(const json &record, const char *key)
{
    return record.value(key, 0);
}

__attribute__((noinline)) static int sum_absent(const json &records)
{
    int sum = 0;
    for (const auto &record : records)
        sum += value_of(record, "discount") + value_of(record, "stock");
    return sum;
}

__attribute__((noinline)) static double sum_prices(const json &records)
{
    double sum = 0;
    for (const auto &record : records)
        sum += record["price"].get<double>();
    return sum;
}

static void parse_share(const std::string &text, int times, size_t *found)
{
    for (int i = 0; i < times; i++)
        *found += json::parse(text).size();
}

static void check_share(const std::string &text, int times, size_t *found)
{
    for (int i = 0; i < times; i++)
        *found += json::accept(text);
}

static size_t check_all(const std::string &text, int times)
{
    std::vector<std::thread> checkers;
    size_t found[2] = {0, 0};
    for (int i = 0; i < checker_count; i++)
        checkers.emplace_back(check_share, std::cref(text), times / checker_count, &found[i]);
    for (auto &checker : checkers)
        checker.join();
    return found[0] + found[1];
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    std::ifstream file(argv[2]);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const std::string mode = argv[1];
    const int times = std::atoi(argv[3]);
    double sum = 0;
    if (mode == "threads") {
        sum = static_cast<double>(check_all(text, times));
    } else if (mode == "parse") {
        size_t found = 0;
        parse_share(text, times, &found);
        sum = static_cast<double>(found);
    } else {
        const json records = json::parse(text);
        for (int i = 0; i < times; i++)
            sum += mode == "lookup" ? sum_absent(records) : sum_prices(records);
    }
    std::printf("%.3f\n", sum);
    return 0;
}
