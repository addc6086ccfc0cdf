/* drive_yamlcpp.cpp: parses a YAML file, or parses it once and then reads numbers of its records.
 *   program parse|sum|absent FILE TIMES */
#include <yaml-cpp/yaml.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

__attribute__((noinline)) static int discount_of(const YAML::Node &record)
{
    return record["discount"].as<int>(0);
}

static double sum_prices(const YAML::Node &records)
{
    double sum = 0;
    for (const auto &record : records)
        sum += record["price"].as<double>();
    return sum;
}

static double sum_discounts(const YAML::Node &records)
{
    double sum = 0;
    for (const auto &record : records)
        sum += discount_of(record);
    return sum;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    const std::string mode = argv[1];
    const int times = std::atoi(argv[3]);
    std::ifstream file(argv[2]);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const YAML::Node records = YAML::Load(text);
    double result = 0;
    for (int i = 0; i < times; i++)
        result += mode == "parse" ? static_cast<double>(YAML::Load(text).size())
                  : mode == "sum" ? sum_prices(records)
                                  : sum_discounts(records);
    std::printf("%.3f\n", result);
    return 0;
}
