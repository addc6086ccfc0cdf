/* xml.h: text for XML 1.0. Pure. */
#pragma once
#include "base/text.h"

/* Appends a text for an attribute's value or an element's content. Characters that XML forbids, and
 * bytes outside UTF-8, become \xNN; U+FFFE and U+FFFF are dropped. Lines stay apart. */
void kg_xml_text(struct kg_text *text, const char *value);
