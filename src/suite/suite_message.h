/* suite_message.h: what errors about a suite quote. Pure; thread-safe. */
#pragma once
enum { KG_QUOTE_BYTES = 256 };

/* Text from outside made fit for a message: control characters, invalid UTF-8 and characters that
 * change the direction of writing become \xNN, and a long text is cut and ended with "...".
 * buffer  KG_QUOTE_BYTES bytes; returned */
char *kg_quote(const char *text, char *buffer);
