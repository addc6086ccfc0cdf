#include "why/observe/modules.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/code/symbol_name.h"
#include "base/grow.h"
#include "base/memory.h"
#include "base/text.h"

/* Time limit for reading debug information; later addresses get only symbol names. */
static const uint64_t BUDGET_NS = 1500000000;

struct module {
    const char *path;
    Dwfl *dwfl; /* NULL: not opened yet, or unreadable */
    Dwfl_Module *of;
    bool tried;
    bool system; /* kg_module_in_system */
    Dwarf_Addr bias;
    struct kg_exported exported;
};

/* A function of the debug information with its name. */
enum { NAMES_ROOM = 4096 };
struct named {
    const void *function; /* its declaration; NULL: free */
    const char *name;
};

struct found {
    kg_code_address address;
    struct kg_code_places places;
};

struct kg_modules {
    struct kg_arena *arena;
    struct module *of;
    size_t count, capacity;
    struct found *found; /* open hash table, at most half full; address + 1; 0: free */
    size_t found_count, found_room;
    struct named named[NAMES_ROOM]; /* the last function with each hash */
    uint64_t spent_ns;
};

const char *kg_module_file(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool kg_module_in_system(const char *name)
{
    static const char *const names[] = {
        "libc.so",    "libc-",    "libm.so", "libm-",        "libgomp",  "libomp",   "libiomp",
        "libpthread", "ld-linux", "ld-2",    "libstdc++.so", "libc++",   "libgcc_s", "libmvec",
        "linux-vdso", "[vdso",    "ld-musl", "libdl.so",     "librt.so", "libdl-"};
    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
        if (!strncmp(name, names[i], strlen(names[i])))
            return true;
    return false;
}

/* --- Modules ---------------------------------------------------------------------------------- */

struct kg_modules *kg_modules_open(struct kg_arena *arena)
{
    struct kg_modules *modules = kg_alloc(1, sizeof *modules);
    modules->arena = arena;
    return modules;
}

void kg_modules_close(struct kg_modules *modules)
{
    if (!modules)
        return;
    for (size_t i = 0; i < modules->count; i++) {
        if (modules->of[i].dwfl)
            dwfl_end(modules->of[i].dwfl);
        kg_exported_free(&modules->of[i].exported);
    }
    free(modules->of);
    free(modules->found);
    free(modules);
}

size_t kg_module_number(struct kg_modules *modules, const char *path)
{
    for (size_t i = 0; i < modules->count; i++)
        if (!strcmp(modules->of[i].path, path))
            return i;
    if (modules->count >= KG_MODULES_MOST)
        return KG_MODULES_MOST;
    kg_grow(&modules->of, modules->count, &modules->capacity, sizeof *modules->of);
    const char *kept = kg_arena_copy(modules->arena, path);
    modules->of[modules->count] =
        (struct module){.path = kept, .system = kg_module_in_system(kg_module_file(kept))};
    return modules->count++;
}

const char *kg_module_path(const struct kg_modules *modules, size_t number)
{
    return number < modules->count ? modules->of[number].path : NULL;
}

bool kg_module_is_installed(const struct kg_modules *modules, size_t number)
{
    static const char *const folders[] = {"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"};
    const char *path = kg_module_path(modules, number);
    for (size_t i = 0; path && i < sizeof folders / sizeof *folders; i++)
        if (!strncmp(path, folders[i], strlen(folders[i])))
            return true;
    return false;
}

/* libdw opens the file that a debug link names, and would wait at a named pipe forever. These
 * are the places of dwfl_standard_find_debuginfo, without the system's. */
static bool link_is_file(const char *file, const char *link)
{
    static const char *const folders[] = {"", ".debug/"};
    const char *slash = file ? strrchr(file, '/') : NULL;
    if (!slash || !link)
        return true;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char path[4096];
        struct stat facts;
        const int length = *link == '/' ? snprintf(path, sizeof path, "%s", link)
                                        : snprintf(path, sizeof path, "%.*s/%s%s",
                                                   (int)(slash - file), file, folders[i], link);
        if (length < 0 || (size_t)length >= sizeof path ||
            (stat(path, &facts) == 0 && !S_ISREG(facts.st_mode)))
            return false;
    }
    return true;
}

/* If the user's environment names debuginfod servers, kgate does not ask them: a download may take
 * any time. */
int kg_debug_find(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
                  const char *file, const char *link, GElf_Word crc, char **found)
{
    if (!link_is_file(file, link))
        return -1;
    if (getenv("DEBUGINFOD_URLS"))
        return dwfl_build_id_find_debuginfo(module, data, name, base, file, link, crc, found);
    return dwfl_standard_find_debuginfo(module, data, name, base, file, link, crc, found);
}

static void module_open(struct module *module)
{
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
                                             .find_debuginfo = kg_debug_find,
                                             .section_address = dwfl_offline_section_address};
    if (module->tried)
        return;
    module->tried = true;
    if (module->path[0] != '/')
        return; /* the kernel maps this into each process */
    module->dwfl = dwfl_begin(&callbacks);
    if (!module->dwfl)
        return;
    dwfl_report_begin(module->dwfl);
    module->of = dwfl_report_offline(module->dwfl, module->path, module->path, -1);
    dwfl_report_end(module->dwfl, NULL, NULL);
    Elf *elf = module->of ? dwfl_module_getelf(module->of, &module->bias) : NULL;
    if (!elf)
        module->of = NULL;
    else
        kg_exported_open(&module->exported, module->path, elf);
}

/* --- Addresses -------------------------------------------------------------------------------- */

static struct found *slot(struct found *table, size_t room, kg_code_address address)
{
    size_t at = (size_t)((address * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (room - 1);
    while (table[at].address && table[at].address != address + 1)
        at = (at + 1) & (room - 1);
    return &table[at];
}

static void found_grow(struct kg_modules *modules)
{
    enum { FIRST = 256 };
    if (modules->found_count * 2 < modules->found_room)
        return;
    const size_t room = modules->found_room ? modules->found_room * 2 : FIRST;
    struct found *table = kg_alloc(room, sizeof *table);
    for (size_t i = 0; i < modules->found_room; i++)
        if (modules->found[i].address)
            *slot(table, room, modules->found[i].address - 1) = modules->found[i];
    free(modules->found);
    modules->found = table;
    modules->found_room = room;
}

/* "blur.isra.0" is blur, "poll@@GLIBC_2.2.5" is poll. Outlined parallel regions keep their
 * suffix: they are code of their own. */
static size_t name_length(const char *name)
{
    static const char *const endings[] = {".isra.", ".constprop.", ".part.",
                                          ".cold",  ".lto_priv.",  "@"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const char *at = strstr(name, endings[i]);
        if (at && at != name && (size_t)(at - name) < length)
            length = (size_t)(at - name);
    }
    return length;
}

/* The name without such an ending, as people write it. */
static const char *symbol_readable(struct kg_modules *modules, const char *symbol)
{
    const char *name = kg_arena_copy_bytes(modules->arena, symbol, name_length(symbol));
    return strncmp(name, "_Z", 2) ? name : kg_symbol_name(modules->arena, name);
}

static const char *symbol(struct kg_modules *modules, const struct module *module,
                          Dwarf_Addr address)
{
    enum { UNSIZED_MOST = 65536 };
    GElf_Off offset = 0;
    GElf_Sym found = {0};
    const char *name = dwfl_module_addrinfo(module->of, address, &offset, &found, NULL, NULL, NULL);
    if (!name || !*name || (found.st_size ? offset >= found.st_size : offset > UNSIZED_MOST))
        return NULL;
    return found.st_size || GELF_ST_TYPE(found.st_info) == STT_FUNC ? symbol_readable(modules, name)
                                                                    : NULL;
}

static bool in_call_table(const struct module *module, Dwarf_Addr address)
{
    Dwarf_Addr bias;
    GElf_Shdr header;
    size_t names;
    Elf_Scn *section = dwfl_module_address_section(module->of, &address, &bias);
    Elf *elf = dwfl_module_getelf(module->of, &bias);
    if (!section || !elf || !gelf_getshdr(section, &header) || elf_getshdrstrndx(elf, &names) != 0)
        return false;
    const char *name = elf_strptr(elf, names, header.sh_name);
    return name && !strncmp(name, ".plt", 4);
}

/* The public name of a function in a system library: not __memmove_avx_unaligned_erms or
 * __libc_write. Lines and inlined functions in such libraries mean nothing to their callers. */
static const char *system_name(struct kg_modules *modules, const struct module *module,
                               uint64_t offset)
{
    static const char *const beginnings[] = {"___", "__", "GI_", "__", "libc_"};
    const char *name = kg_exported_name(&module->exported, offset);
    if (!name)
        name = symbol(modules, module, offset + module->bias);
    if (name && strstr(name, "::"))
        return name;
    for (size_t i = 0; name && i < sizeof beginnings / sizeof *beginnings; i++)
        if (!strncmp(name, beginnings[i], strlen(beginnings[i])) && name[strlen(beginnings[i])])
            name += strlen(beginnings[i]);
    return name;
}

static void line_fill(const struct module *module, Dwarf_Addr address, struct kg_place *place)
{
    int line = 0;
    Dwfl_Line *source = dwfl_module_getsrc(module->of, address);
    place->file = source ? dwfl_lineinfo(source, NULL, &line, NULL, NULL, NULL) : NULL;
    place->line = line > 0 && place->file ? (size_t)line : 0;
}

/* Fills in the place of the call that was inlined. */
static void call_fill(Dwarf_Die *inlined, Dwarf_Die *unit, struct kg_place *place)
{
    Dwarf_Attribute attribute;
    Dwarf_Word file = 0, line = 0;
    Dwarf_Files *files;
    size_t count;
    place->file = NULL;
    place->line = 0;
    if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &file) != 0 ||
        dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &line) != 0 ||
        dwarf_getsrcfiles(unit, &files, &count) != 0 || file >= count)
        return;
    place->file = dwarf_filesrc(files, (size_t)file, NULL, NULL);
    place->line = place->file ? (size_t)line : 0;
}

/* --- Names of functions ----------------------------------------------------------------------- */

/* The declaration of a function, which its compiled and inlined copies refer to. */
static Dwarf_Die declaration_of(Dwarf_Die *function)
{
    enum { STEPS = 4 };
    static const unsigned references[] = {DW_AT_abstract_origin, DW_AT_specification};
    Dwarf_Die at = *function;
    for (size_t i = 0; i < STEPS; i++) {
        Dwarf_Attribute attribute;
        Dwarf_Die next;
        if (!dwarf_formref_die(dwarf_attr(&at, references[0], &attribute), &next) &&
            !dwarf_formref_die(dwarf_attr(&at, references[1], &attribute), &next))
            break;
        at = next;
    }
    return at;
}

/* Adds the scope's name, as in "std::vector<int>::". Only a lambda function has a nameless class. */
static void scope_add(Dwarf_Die *scope, struct kg_text *text)
{
    const char *name = dwarf_diename(scope);
    switch (dwarf_tag(scope)) {
    case DW_TAG_namespace:
        kg_text_printf(text, "%s::", name ? name : "(anonymous namespace)");
        return;
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
        kg_text_printf(text, "%s::", name ? name : "{lambda}");
        return;
    default:
        return;
    }
}

static const char *die_name(struct kg_modules *modules, Dwarf_Die *function, Dwarf_Die *unit);

/* The function's name after its scopes, from the function around it inwards. */
static const char *scoped_name(struct kg_modules *modules, Dwarf_Die *declaration, Dwarf_Die *unit)
{
    struct kg_text text = {0};
    Dwarf_Die *scopes = NULL;
    int count = dwarf_getscopes_die(declaration, &scopes);
    for (int i = 1; i < count; i++)
        if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram) {
            const char *around = die_name(modules, &scopes[i], unit);
            kg_text_printf(&text, "%s::", around ? around : "");
            count = i;
        }
    for (int i = count - 1; i > 0; i--)
        scope_add(&scopes[i], &text);
    free(scopes);
    kg_text_append(&text, dwarf_diename(declaration));
    const char *name = kg_declaration_name(modules->arena, kg_text_string(&text));
    kg_text_free(&text);
    return name;
}

/* C has neither scopes nor overloads. */
static bool has_scopes(Dwarf_Die *unit)
{
    switch (dwarf_srclang(unit)) {
    case DW_LANG_C:
    case DW_LANG_C89:
    case DW_LANG_C99:
    case DW_LANG_C11:
    case DW_LANG_Mips_Assembler:
        return false;
    default:
        return true;
    }
}

/* "Lexer::next" of C++, from the symbol that the debug information has for the linker. Symbols of
 * other languages do not decode to readable names. Functions of one file have no symbol. */
static const char *name_make(struct kg_modules *modules, Dwarf_Die *function,
                             Dwarf_Die *declaration, Dwarf_Die *unit)
{
    Dwarf_Attribute attribute;
    const char *linked =
        dwarf_formstring(dwarf_attr_integrate(function, DW_AT_linkage_name, &attribute));
    const char *plain = dwarf_diename(declaration);
    const char *symbol = linked && !strncmp(linked, "_Z", 2) ? linked : plain;
    if (!plain)
        return NULL;
    if (!strncmp(symbol, "_Z", 2) && !strstr(symbol, "17h")) {
        const char *name = symbol_readable(modules, symbol);
        if (strncmp(name, "_Z", 2) != 0)
            return name;
    }
    return scoped_name(modules, declaration, unit);
}

static const char *die_name(struct kg_modules *modules, Dwarf_Die *function, Dwarf_Die *unit)
{
    Dwarf_Attribute attribute;
    if (!has_scopes(unit)) {
        const char *name = dwarf_formstring(dwarf_attr_integrate(function, DW_AT_name, &attribute));
        return name ? kg_arena_copy_bytes(modules->arena, name, name_length(name)) : NULL;
    }
    Dwarf_Die declaration = declaration_of(function);
    struct named *named = &modules->named[(uintptr_t)declaration.addr % NAMES_ROOM];
    if (named->function != declaration.addr)
        *named = (struct named){declaration.addr, name_make(modules, function, &declaration, unit)};
    return named->name;
}

/* The file of the function, if its line is in a file that it includes, as in an interpreter. */
static const char *declared_file(Dwarf_Die *function, const struct kg_place *place)
{
    const char *own = place->file ? dwarf_decl_file(function) : NULL;
    return own && strcmp(kg_module_file(own), kg_module_file(place->file)) != 0 ? own : NULL;
}

/* Fills in the functions that an address is inlined into, innermost first; the last is the
 * compiled function. The first place has the line of the address, the others the lines of the
 * calls. */
static size_t scopes_fill(struct kg_modules *modules, const struct module *module,
                          Dwarf_Addr address, struct kg_place *places, size_t most)
{
    Dwarf_Addr bias;
    Dwarf_Die *inner = NULL, *scopes = NULL;
    Dwarf_Die *unit = dwfl_module_addrdie(module->of, address, &bias);
    /* The first gives the inlined function's definition, the second the place where it is
     * inlined. */
    const int found = unit ? dwarf_getscopes(unit, address - bias, &inner) : 0;
    const int count = found > 0 ? dwarf_getscopes_die(&inner[0], &scopes) : 0;
    size_t filled = 0;
    for (int i = 0; i < count && filled < most; i++) {
        const int tag = dwarf_tag(&scopes[i]);
        if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
            continue;
        places[filled].function = die_name(modules, &scopes[i], unit);
        places[filled].declared = declared_file(&scopes[i], &places[filled]);
        filled++;
        if (tag == DW_TAG_subprogram)
            break;
        if (filled < most)
            call_fill(&scopes[i], unit, &places[filled]);
    }
    free(inner);
    free(scopes);
    return filled;
}

static void places_keep(struct kg_modules *modules, const struct module *module,
                        struct kg_place *places, size_t count, struct kg_code_places *kept)
{
    const char *name = kg_module_file(module->path);
    kept->count = count;
    kept->of = kg_arena_alloc(modules->arena, count, sizeof *kept->of);
    for (size_t i = 0; i < count; i++) {
        kept->of[i].line = places[i].line;
        kept->of[i].file = kg_arena_keep(modules->arena, places[i].file);
        kept->of[i].module = kg_arena_keep(modules->arena, name);
        kept->of[i].declared = kg_arena_keep(modules->arena, places[i].declared);
        kept->of[i].function = places[i].function;
    }
}

static void look_up(struct kg_modules *modules, kg_code_address address,
                    struct kg_code_places *places)
{
    enum { INLINED_MOST = 16 };
    struct kg_place found[INLINED_MOST] = {{0}};
    struct module *module = &modules->of[address >> KG_MODULE_SHIFT];
    const uint64_t offset = address & KG_CODE_OFFSET_MASK;
    const uint64_t start = kg_clock_ns();
    size_t count = 0;
    module_open(module);
    if (module->of && module->system) {
        found[0].function = system_name(modules, module, offset);
    } else if (module->of && modules->spent_ns < BUDGET_NS) {
        line_fill(module, offset + module->bias, &found[0]);
        count = scopes_fill(modules, module, offset + module->bias, found, INLINED_MOST);
    }
    struct kg_place *outermost = &found[count ? count - 1 : 0];
    if (module->of && !outermost->function)
        outermost->function = symbol(modules, module, offset + module->bias);
    if (module->of && !outermost->function && in_call_table(module, offset + module->bias))
        outermost->function = KG_CALL_TABLE;
    modules->spent_ns += kg_clock_ns() - start;
    places_keep(modules, module, found, count ? count : 1, places);
}

void kg_code_places(struct kg_modules *modules, kg_code_address address,
                    struct kg_code_places *places)
{
    static const struct kg_place nowhere = {0};
    if (address >> KG_MODULE_SHIFT >= modules->count) {
        *places = (struct kg_code_places){.of = (struct kg_place *)&nowhere, .count = 1};
        return;
    }
    found_grow(modules);
    struct found *found = slot(modules->found, modules->found_room, address);
    if (!found->address) {
        look_up(modules, address, &found->places);
        found->address = address + 1;
        modules->found_count++;
    }
    *places = found->places;
}
