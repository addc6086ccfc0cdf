#include <dwarf.h>
#include <string.h>

#include "base/code/symbol_name.h"
#include "why/observe/modules.h"
#include "why/observe/repeated_calls.h"

/* --- Types ------------------------------------------------------------------------------------ */

/* The type of a variable, a parameter or a pointer, without its names and qualifiers.
 * returns  0; 1: void; -1: unreadable */
static int type_of(Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Attribute attribute;
    if (!dwarf_attr_integrate(die, DW_AT_type, &attribute))
        return 1;
    return dwarf_formref_die(&attribute, type) ? dwarf_peel_type(type, type) : -1;
}

static size_t size_of(Dwarf_Die *type)
{
    Dwarf_Word size;
    return dwarf_aggregate_size(type, &size) == 0 ? (size_t)size : 0;
}

static bool is_structure(Dwarf_Die *type)
{
    const int tag = dwarf_tag(type);
    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

static bool is_char(Dwarf_Die *type)
{
    const char *name = dwarf_diename(type);
    return dwarf_tag(type) == DW_TAG_base_type && name && !strcmp(name, "char");
}

static bool is_pointer(Dwarf_Die *type)
{
    const int tag = dwarf_tag(type);
    return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
           tag == DW_TAG_rvalue_reference_type;
}

/* Fills in kind and size of the memory behind a pointer.
 * behind  its type; only valid for KG_PARAMETER_OBJECT */
static enum kg_parameter_kind pointer_read(Dwarf_Die *pointer, size_t *bytes, Dwarf_Die *behind)
{
    *bytes = sizeof(uint64_t);
    if (type_of(pointer, behind) != 0)
        return KG_PARAMETER_UNTYPED;
    const int tag = dwarf_tag(behind);
    if (tag == DW_TAG_subroutine_type)
        return KG_PARAMETER_WHOLE;
    if (is_char(behind))
        return KG_PARAMETER_TEXT;
    const size_t size = size_of(behind);
    if (!size || tag == DW_TAG_unspecified_type)
        return KG_PARAMETER_UNTYPED;
    *bytes = size;
    return is_structure(behind) ? KG_PARAMETER_OBJECT : KG_PARAMETER_ARRAY;
}

/* Adds the pointers of a structure, and of structures in it. */
static void pointers_add(Dwarf_Die *structure, size_t offset, int depth,
                         struct kg_parameter *parameter)
{
    enum { DEPTH_MOST = 3 };
    Dwarf_Die member;
    int more = depth < DEPTH_MOST ? dwarf_child(structure, &member) : 1;
    for (; more == 0 && parameter->pointer_count < KG_POINTERS_MOST;
         more = dwarf_siblingof(&member, &member)) {
        Dwarf_Attribute attribute;
        Dwarf_Word within = 0; /* a union gives no place */
        Dwarf_Die type, behind;
        if (dwarf_tag(&member) != DW_TAG_member || type_of(&member, &type) != 0)
            continue;
        dwarf_formudata(dwarf_attr(&member, DW_AT_data_member_location, &attribute), &within);
        if (is_structure(&type))
            pointers_add(&type, offset + (size_t)within, depth + 1, parameter);
        if (!is_pointer(&type) || parameter->pointer_count == KG_POINTERS_MOST)
            continue;
        struct kg_pointer *pointer = &parameter->pointers[parameter->pointer_count];
        pointer->offset = offset + (size_t)within;
        pointer->kind = pointer_read(&type, &pointer->bytes, &behind);
        parameter->pointer_count += pointer->kind != KG_PARAMETER_WHOLE;
    }
}

static void pointer_fill(Dwarf_Die *pointer, struct kg_parameter *parameter)
{
    Dwarf_Die behind;
    parameter->kind = pointer_read(pointer, &parameter->bytes, &behind);
    if (parameter->kind == KG_PARAMETER_OBJECT)
        pointers_add(&behind, 0, 0, parameter);
}

static const char OTHER_TYPE[] = "a parameter is neither a number nor a pointer";

/* returns  a reason if it is passed in another way; NULL: none */
static const char *number_of(Dwarf_Die *type, struct kg_parameter *parameter)
{
    Dwarf_Attribute attribute;
    Dwarf_Word encoding = 0;
    const size_t bytes = size_of(type);
    const bool base = dwarf_tag(type) == DW_TAG_base_type;
    if (!bytes || bytes > sizeof(uint64_t) ||
        (base && dwarf_formudata(dwarf_attr(type, DW_AT_encoding, &attribute), &encoding) != 0))
        return OTHER_TYPE;
    parameter->kind = encoding == DW_ATE_float ? KG_PARAMETER_FLOAT : KG_PARAMETER_WHOLE;
    parameter->bytes = bytes;
    if (parameter->kind == KG_PARAMETER_FLOAT)
        return NULL;
    if (base && encoding != DW_ATE_signed && encoding != DW_ATE_unsigned &&
        encoding != DW_ATE_signed_char && encoding != DW_ATE_unsigned_char &&
        encoding != DW_ATE_boolean && encoding != DW_ATE_UTF)
        return OTHER_TYPE;
    return NULL;
}

static const char *parameter_read(Dwarf_Die *die, struct kg_parameter *parameter)
{
    Dwarf_Die type;
    *parameter = (struct kg_parameter){.kind = KG_PARAMETER_WHOLE};
    if (type_of(die, &type) != 0)
        return OTHER_TYPE;
    const int tag = dwarf_tag(&type);
    if (tag == DW_TAG_base_type || tag == DW_TAG_enumeration_type)
        return number_of(&type, parameter);
    if (!is_pointer(&type))
        return OTHER_TYPE;
    pointer_fill(&type, parameter);
    return NULL;
}

/* --- Functions -------------------------------------------------------------------------------- */

/* Adds a parameter, if a register is left for it. */
static const char *parameter_add(struct kg_parameters *parameters, const struct kg_parameter *added)
{
    size_t floats = 0;
    for (size_t i = 0; i < parameters->count; i++)
        floats += parameters->of[i].kind == KG_PARAMETER_FLOAT;
    const bool full = added->kind == KG_PARAMETER_FLOAT
                          ? floats == KG_FLOAT_REGISTERS
                          : parameters->count - floats == KG_WHOLE_REGISTERS;
    if (full)
        return "more parameters than registers";
    parameters->of[parameters->count++] = *added;
    return NULL;
}

/* Reads the parameters from the function's declaration: the compiled function may lack some. */
static const char *parameters_read(Dwarf_Die *function, struct kg_parameters *parameters)
{
    Dwarf_Attribute attribute;
    Dwarf_Die origin, child;
    Dwarf_Die *declared =
        dwarf_formref_die(dwarf_attr(function, DW_AT_abstract_origin, &attribute), &origin);
    int more = dwarf_child(declared ? declared : function, &child);
    for (; more == 0; more = dwarf_siblingof(&child, &child)) {
        struct kg_parameter parameter;
        const int tag = dwarf_tag(&child);
        if (tag == DW_TAG_unspecified_parameters)
            return "its number of parameters varies";
        const char *reason =
            tag == DW_TAG_formal_parameter ? parameter_read(&child, &parameter) : NULL;
        if (!reason && tag == DW_TAG_formal_parameter)
            reason = parameter_add(parameters, &parameter);
        if (reason)
            return reason;
    }
    if (more < 0)
        return "unreadable debug information";
    /* its result may come from anywhere */
    return parameters->count ? NULL : "it has no parameters";
}

/* A structure as result may need an invisible parameter. */
static bool returns_structure(Dwarf_Die *function)
{
    Dwarf_Die type;
    return type_of(function, &type) == 0 &&
           (is_structure(&type) || dwarf_tag(&type) == DW_TAG_array_type);
}

/* A compiler may remove parameters of a function that only its own file calls. GCC then renames
 * the symbol, so kgate does not find it. Clang sets this attribute. */
static bool is_changed(Dwarf_Die *function)
{
    Dwarf_Attribute attribute;
    Dwarf_Word convention;
    return dwarf_formudata(dwarf_attr(function, DW_AT_calling_convention, &attribute),
                           &convention) == 0 &&
           convention == DW_CC_nocall;
}

/* Other languages pass arguments in their own ways. */
static bool is_c(Dwarf_Die *unit)
{
    enum { C17 = 0x2c, C_PLUS_PLUS_17 = 0x2a, C_PLUS_PLUS_20 = 0x2b }; /* not in every dwarf.h */
    static const int known[] = {DW_LANG_C89,
                                DW_LANG_C,
                                DW_LANG_C99,
                                DW_LANG_C11,
                                C17,
                                DW_LANG_C_plus_plus,
                                DW_LANG_C_plus_plus_03,
                                DW_LANG_C_plus_plus_11,
                                DW_LANG_C_plus_plus_14,
                                C_PLUS_PLUS_17,
                                C_PLUS_PLUS_20};
    const int language = dwarf_srclang(unit);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (language == known[i])
            return true;
    return false;
}

struct wanted {
    Dwarf_Addr entry;
    Dwarf_Die function;
    bool found;
};

static int function_match(Dwarf_Die *function, void *user)
{
    struct wanted *wanted = user;
    Dwarf_Addr base, start, end;
    /* the first range of a divided function is its hot part */
    if (dwarf_entrypc(function, &start) != 0 && dwarf_ranges(function, 0, &base, &start, &end) <= 0)
        return DWARF_CB_OK;
    if (start != wanted->entry)
        return DWARF_CB_OK;
    wanted->function = *function;
    wanted->found = true;
    return DWARF_CB_ABORT;
}

static const char *function_read(Dwfl_Module *module, Dwarf_Addr address,
                                 struct kg_parameters *parameters)
{
    Dwarf_Addr bias;
    Dwarf_Die *unit = dwfl_module_addrdie(module, address, &bias);
    struct wanted wanted = {.entry = address - bias};
    if (unit && is_c(unit))
        dwarf_getfuncs(unit, function_match, &wanted, 0);
    if (unit && !is_c(unit))
        return "its language is neither C nor C++";
    if (!wanted.found)
        return "no debug information";
    if (is_changed(&wanted.function))
        return "the compiler has changed its parameters";
    if (returns_structure(&wanted.function))
        return "it returns a structure";
    return parameters_read(&wanted.function, parameters);
}

/* --- Processes -------------------------------------------------------------------------------- */

/* Whether the symbol is the function, whose name may be readable C++. A symbol contains the last part
 * of the name; decoding all symbols would take seconds. */
static bool is_symbol_of(const char *symbol, const char *name)
{
    struct kg_arena scratch = {0};
    size_t length;
    const char *last = kg_name_last(name, &length);
    if (strncmp(symbol, "_Z", 2) != 0)
        return !strcmp(symbol, name);
    if (!memmem(symbol, strlen(symbol), last, length))
        return false;
    const bool same = !strcmp(kg_symbol_name(&scratch, symbol), name);
    kg_arena_free(&scratch);
    return same;
}

/* The address of the only function with this name.
 * returns  0: none; 1: several have it */
static Dwarf_Addr symbol_find(Dwfl_Module *module, const char *name)
{
    const int count = dwfl_module_getsymtab(module);
    Dwarf_Addr found = 0;
    for (int i = 0; i < count && found != 1; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        const char *at = dwfl_module_getsym_info(module, i, &symbol, &address, NULL, NULL, NULL);
        if (!at || GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF ||
            !is_symbol_of(at, name))
            continue;
        found = found && found != address ? 1 : address;
    }
    return found;
}

static bool is_x86_64(Dwfl_Module *module)
{
    Dwarf_Addr bias;
    GElf_Ehdr header;
    Elf *elf = dwfl_module_getelf(module, &bias);
    return elf && gelf_getehdr(elf, &header) && header.e_machine == EM_X86_64;
}

struct search {
    struct kg_watched_function *functions;
    size_t count;
    uint64_t *addresses;
};

static void function_find(Dwfl_Module *module, struct kg_watched_function *function,
                          uint64_t *address)
{
    const Dwarf_Addr found = symbol_find(module, function->name);
    if (found <= 1)
        function->reason = found ? "several functions have its name" : "it has no symbol";
    else if (!function->found)
        function->reason = function_read(module, found, &function->parameters);
    function->found = !function->reason;
    *address = function->found ? found : 0;
}

static int module_search(Dwfl_Module *module, void **kept, const char *name, Dwarf_Addr start,
                         void *user)
{
    const struct search *search = user;
    (void)kept, (void)start;
    for (size_t i = 0; i < search->count; i++) {
        struct kg_watched_function *function = &search->functions[i];
        if (!function->reason && name && function->module &&
            !strcmp(kg_module_file(name), function->module) && is_x86_64(module))
            function_find(module, function, &search->addresses[i]);
    }
    return DWARF_CB_OK;
}

void kg_functions_find(pid_t process, struct kg_watched_function *functions, size_t count,
                       uint64_t *addresses)
{
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_linux_proc_find_elf,
                                             .find_debuginfo = kg_debug_find};
    struct search search = {functions, count, addresses};
    memset(addresses, 0, count * sizeof *addresses);
    Dwfl *dwfl = dwfl_begin(&callbacks);
    if (dwfl && dwfl_linux_proc_report(dwfl, process) == 0 &&
        dwfl_report_end(dwfl, NULL, NULL) == 0)
        dwfl_getmodules(dwfl, module_search, &search, 0);
    if (dwfl)
        dwfl_end(dwfl);
}
