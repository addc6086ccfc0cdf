/* escape.h: untrusted text made harmless for where it is shown. Pure. */
#pragma once
#include <stddef.h>

#include "base/text.h"

/* For a terminal: control characters (C0, DEL, and C1 in UTF-8), separators of lines, those that
 * reorder text, and bytes that are no UTF-8 become \xNN each. At most `most` characters, and bytes
 * that became \xNN, then "…". */
void kg_escape_terminal(struct kg_text *text, const char *string, size_t most);

/* Appends harmless text, in at most `most` characters: of a longer one the middle becomes "…",
 * since what tells names apart is mostly at one of their ends. */
void kg_text_append_ends(struct kg_text *text, const char *string, size_t most);

/* Appends at most `most` characters of harmless text, from its beginning. */
void kg_text_append_beginning(struct kg_text *text, const char *string, size_t most);

/* For a terminal whose characters are ASCII: the others that kgate writes as the nearest of these. What
 * stands in tables keeps its width, so that columns stay below each other: "± 5.0 %" becomes
 * "+-5.0 %", "1 … 2" becomes "1...2", and a name that is cut has "~". Others' characters stay. */
void kg_escape_plain(struct kg_text *text, const char *string);

/* For markdown on a forge, also inside a table: everything that it would act on is escaped, line
 * breaks become spaces, "@name" and "#1" do not notify or link. At most `most` characters. */
void kg_escape_markdown(struct kg_text *text, const char *string, size_t most);

/* Characters (code points) of valid UTF-8 text. */
size_t kg_text_width(const char *string);

/* Appends an argument for a shell, in quotes where it needs them. */
void kg_shell_quote(struct kg_text *text, const char *argument);

/* Likewise a glob that matches `string` alone. */
void kg_shell_quote_glob(struct kg_text *text, const char *string);

/* Appends a scalar of YAML in double quotes. Bytes that are no UTF-8 stay as they are. */
void kg_yaml_quote(struct kg_text *text, const char *string);
