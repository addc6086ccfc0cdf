#include "show/plots/gnuplot.h"

#include "base/escape.h"
#include "base/process/tool.h"
#include "base/utf8.h"

static const double TIMEOUT_NS = 60e9;
static const char FILE_NAME[] = "picture";

bool kg_gnuplot_there(void)
{
    char path[KG_TOOL_PATH_BYTES];
    return kg_tool_find("gnuplot", path);
}

void kg_gnuplot_string(struct kg_text *script, const char *string, size_t most, bool format)
{
    struct kg_text shown = {0}, cut = {0};
    kg_escape_terminal(&shown, string, (size_t)-1);
    kg_text_append_ends(&cut, kg_text_string(&shown), most);
    kg_text_append(script, "'");
    for (const char *s = kg_text_string(&cut); *s; s++)
        if (*s == '\'')
            kg_text_append(script, "’");
        else if (format && *s == '%')
            kg_text_append(script, "%%");
        else
            kg_text_append_bytes(script, s, 1);
    kg_text_append(script, "'");
    kg_text_free(&shown);
    kg_text_free(&cut);
}

/* Whether common fonts such as DejaVu Sans have the UTF-8 character: letters up to Cyrillic, punctuation, arrows and
 * mathematical signs. */
static bool is_usual(const unsigned char *s, size_t length)
{
    const bool letter = length == 2 && s[0] <= 0xd3;
    return length == 1 || letter || (length == 3 && s[0] == 0xe2 && s[1] <= 0x8b);
}

void kg_gnuplot_signs(struct kg_text *script)
{
    struct kg_text usual = {0};
    const unsigned char *s = (const unsigned char *)kg_text_string(script);
    while (*s) {
        const size_t known = kg_utf8_length(s, KG_UTF8_MOST), length = known ? known : 1;
        if (is_usual(s, known))
            kg_text_append_bytes(&usual, (const char *)s, length);
        else
            kg_text_append(&usual, "?");
        s += length;
    }
    kg_text_free(script);
    *script = usual;
}

/* Dark text on a white background, also on a dark page. */
void kg_gnuplot_begin(const struct kg_picture *picture, struct kg_text *script)
{
    kg_text_printf(script,
                   "set terminal %s size %zu,%zu noenhanced background '#ffffff' font 'sans,%d'\n"
                   "set output '%s'\n"
                   "set encoding utf8\n",
                   picture->svg ? "svg" : "pngcairo", picture->width, picture->height,
                   picture->svg ? 13 : 11, FILE_NAME);
}

void kg_gnuplot_style(struct kg_text *script)
{
    kg_text_append(script, "reset\n"
                           "set border 3 linecolor '#5f6368'\n"
                           "set grid linecolor '#e3e5e8' linetype 1 linewidth 1\n"
                           "set tics nomirror textcolor '#202124'\n"
                           "set key textcolor '#202124'\n");
}

bool kg_gnuplot_run(const struct kg_text *script, struct kg_text *image, struct kg_error *err)
{
    char path[KG_TOOL_PATH_BYTES];
    /* ignores the user's own settings, so that pictures look the same everywhere */
    char *arguments[] = {(char *)"gnuplot", (char *)"--default-settings", (char *)"-", NULL};
    if (!kg_tool_find("gnuplot", path))
        return kg_error_set(
            err, KG_ERROR_SYSTEM,
            "gnuplot draws the pictures, but is not on PATH; install it (Debian and Ubuntu: "
            "apt-get install gnuplot-nox)");
    const struct kg_tool_run run = {.program = path,
                                    .arguments = arguments,
                                    .input = kg_text_string(script),
                                    .input_length = script->length,
                                    .file = FILE_NAME,
                                    .timeout_ns = TIMEOUT_NS};
    return kg_tool_make(&run, image, err);
}
