/* drive_fmt.cc: formats numbers into strings, long texts, or lines of a file.
 *   program strings|floats COUNT 1
 *   program report COUNT TIMES
 *   program lines COUNT FILE */
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>

static size_t make_strings(int count)
{
    size_t size = 0;
    for (int i = 0; i < count; i++)
        size += fmt::format("{}: {:>8} of {}", "record", i, count).size();
    return size;
}

static size_t make_floats(int count)
{
    size_t size = 0;
    for (int i = 1; i <= count; i++)
        size += fmt::format("{}", 1.0 / i).size();
    return size;
}

static size_t make_reports(int count, int times)
{
    size_t size = 0;
    for (int turn = 0; turn < times; turn++) {
        fmt::memory_buffer text;
        for (int i = 0; i < count; i++)
            fmt::format_to(std::back_inserter(text), "{} {:05d}\n", i, i % 777);
        size += text.size();
    }
    return size;
}

static size_t write_lines(int count, const char *path)
{
    std::FILE *file = std::fopen(path, "w");
    if (!file)
        return 0;
    for (int i = 0; i < count; i++)
        fmt::print(file, "{} {:x} {}\n", i, i, "line");
    std::fclose(file);
    return static_cast<size_t>(count);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    const std::string mode = argv[1];
    const int count = std::atoi(argv[2]);
    const size_t result = mode == "strings"  ? make_strings(count)
                          : mode == "floats" ? make_floats(count)
                          : mode == "report" ? make_reports(count, std::atoi(argv[3]))
                                             : write_lines(count, argv[3]);
    std::printf("%zu\n", result);
    return 0;
}
