/* markdown_closing.h: what stands at the end of markdown reports. */
#pragma once
#include "base/text.h"
#include "model/comparison.h"

/* "- machine: CPU, 2 CPUs, 4 GiB, fingerprint …" */
void kg_markdown_machine(const struct kg_machine *machine, struct kg_text *text);

/* Machine, policy, baseline and notes, folded away; at most some 20,000 bytes, so that it can be made
 * first and the rest given what room it leaves. */
void kg_markdown_closing(const struct kg_comparison *comparison, struct kg_text *text);
