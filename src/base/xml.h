/* xml.h: text for XML 1.0. Pure. */
#pragma once
#include "base/text.h"

/* Appends a text as an attribute's value or an element's content takes it. Characters that XML has no
 * place for, and bytes that are no UTF-8, become \xNN or, of the two that are no characters, nothing; lines stay
 * apart. */
void kg_xml_text(struct kg_text *text, const char *value);
