/* drive_tinyxml2.cpp: parses an XML file, or parses it once and prints it often.
 *   program parse|print FILE TIMES */
#include "tinyxml2.h"

#include <cstdio>
#include <cstdlib>
#include <string>

static int parse_often(const char *path, int times)
{
    int count = 0;
    for (int i = 0; i < times; i++) {
        tinyxml2::XMLDocument document;
        if (document.LoadFile(path) != tinyxml2::XML_SUCCESS)
            return 1;
        for (auto *e = document.RootElement()->FirstChildElement(); e; e = e->NextSiblingElement())
            count += e->IntAttribute("id") % 7;
    }
    std::printf("%d\n", count);
    return 0;
}

static int print_often(const char *path, int times)
{
    tinyxml2::XMLDocument document;
    if (document.LoadFile(path) != tinyxml2::XML_SUCCESS)
        return 1;
    long size = 0;
    for (int i = 0; i < times; i++) {
        tinyxml2::XMLPrinter printer;
        document.Print(&printer);
        size += printer.CStrSize();
    }
    std::printf("%ld bytes\n", size);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    bool parse = std::string(argv[1]) == "parse";
    return parse ? parse_often(argv[2], std::atoi(argv[3]))
                 : print_often(argv[2], std::atoi(argv[3]));
}
