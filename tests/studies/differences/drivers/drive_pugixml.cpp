/* drive_pugixml.cpp: parses an XML file, or parses it once and then sorts, prints or counts its elements.
 *   program parse|order|print|kinds FILE TIMES */
#include "src/pugixml.hpp"

#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <unistd.h>
#include <unordered_map>

using counts = std::unordered_map<std::string, int>;

/* Every piece of the printed text is one write. */
struct file_writer : pugi::xml_writer {
    int file = open("/dev/null", O_WRONLY);
    size_t size = 0;

    ~file_writer()
    {
        close(file);
    }

    void write(const void *data, size_t length) override
    {
        if (::write(file, data, length) == static_cast<ssize_t>(length))
            size += length;
    }
};

__attribute__((noinline)) static void count_ids(const pugi::xml_document &document, counts &found)
{
    for (pugi::xml_node item : document.child("list").children("item"))
        found[item.attribute("id").value()]++;
}

static size_t order_items(const pugi::xml_document &document)
{
    pugi::xpath_node_set found =
        document.select_nodes("//item[@kind='time'] | //item[@kind!='time']");
    found.sort();
    return found.size() + static_cast<size_t>(found[0].node().attribute("id").as_int());
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    const std::string mode = argv[1];
    const int times = std::atoi(argv[3]);
    pugi::xml_document document;
    size_t result = 0;
    counts found;
    for (int i = 0; i < (mode == "parse" ? times : 1); i++)
        result += static_cast<bool>(document.load_file(argv[2]));
    for (int i = 0; i < times && mode != "parse"; i++) {
        if (mode == "order") {
            result += order_items(document);
        } else if (mode == "kinds") {
            count_ids(document, found);
        } else {
            file_writer writer;
            document.save(writer);
            result += writer.size;
        }
    }
    std::printf("%zu %zu\n", result, found.size());
    return 0;
}
