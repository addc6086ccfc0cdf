/* escape.h: makes untrusted text harmless for its output. Pure. */
#pragma once
#include <stddef.h>

#include "base/text.h"

/* For a terminal: replaces harmful bytes by \xNN each. These are control characters (C0, DEL, and
 * C1 in UTF-8), line separators, characters that reorder text, and bytes outside UTF-8. After
 * `most` characters, each \xNN counted as one, the rest becomes "…". */
void kg_escape_terminal(struct kg_text *text, const char *string, size_t most);

/* Appends harmless text, in at most `most` characters. If the text is longer, "…" replaces its
 * middle, since names differ mostly at one of their ends. */
void kg_text_append_ends(struct kg_text *text, const char *string, size_t most);

/* Appends at most `most` characters of harmless text, from its beginning. */
void kg_text_append_beginning(struct kg_text *text, const char *string, size_t most);

/* For an ASCII terminal: replaces kgate's own non-ASCII characters with the nearest ASCII ones.
 * Text in tables keeps its width, so that columns stay aligned: "± 5.0 %" becomes "+-5.0 %", "1 …
 * 2" becomes "1...2", and a cut name has "~". Other non-ASCII characters stay. */
void kg_escape_plain(struct kg_text *text, const char *string);

/* For markdown on a forge, also inside a table. The function escapes every character that the forge
 * would act on. Line breaks become spaces; "@name" and "#1" do not notify or link. At most `most`
 * characters. */
void kg_escape_markdown(struct kg_text *text, const char *string, size_t most);

/* Characters (code points) of valid UTF-8 text. */
size_t kg_text_width(const char *string);

/* Appends an argument for a shell, in quotes if it needs quotes. */
void kg_shell_quote(struct kg_text *text, const char *argument);

/* Appends, for a shell, a glob that matches `string` alone. */
void kg_shell_quote_glob(struct kg_text *text, const char *string);

/* Appends a scalar of YAML in double quotes. Bytes outside UTF-8 stay unchanged. */
void kg_yaml_quote(struct kg_text *text, const char *string);
