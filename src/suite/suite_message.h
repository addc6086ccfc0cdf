/* suite_message.h: quotes text of a suite in error messages. Pure; thread-safe. */
#pragma once
enum { KG_QUOTE_BYTES = 256 };

/* Makes untrusted text safe for a message. Control characters, invalid UTF-8 and characters that change the writing
 * direction become \xNN. If the text is too long, the function cuts it and appends "...".
 * buffer   KG_QUOTE_BYTES bytes
 * returns  buffer */
char *kg_quote(const char *text, char *buffer);
