#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct unit {
    const char *name;
    uint64_t factor;
};

static const struct unit durations[] = {
    {"ns", 1},         {"us", 1000},         {"ms", 1000000},
    {"s", 1000000000}, {"min", 60000000000}, {"h", 3600000000000},
    {NULL, 0},
};

static const struct unit sizes[] = {
    {"B", 1},
    {"kB", 1000},
    {"MB", 1000000},
    {"GB", 1000000000},
    {"TB", 1000000000000},
    {"KiB", UINT64_C(1) << 10},
    {"MiB", UINT64_C(1) << 20},
    {"GiB", UINT64_C(1) << 30},
    {"TiB", UINT64_C(1) << 40},
    {NULL, 0},
};

static size_t digits(const char *text)
{
    size_t n = 0;
    while (text[n] >= '0' && text[n] <= '9')
        n++;
    return n;
}

/* Length of the decimal number at the start of `text`; 0 if there is none. */
static size_t number_length(const char *text)
{
    size_t n = digits(text), count = n;
    if (text[n] == '.') {
        const size_t fraction = digits(text + n + 1);
        n += 1 + fraction;
        count += fraction;
    }
    if (!count)
        return 0;
    if (text[n] == 'e' || text[n] == 'E') {
        const size_t sign = text[n + 1] == '+' || text[n + 1] == '-';
        const size_t exponent = digits(text + n + 1 + sign);
        if (exponent)
            n += 1 + sign + exponent;
    }
    return n;
}

/* Splits "12.5 ms" into a number and one of `units`; 0 for any other text. */
static uint64_t unit_factor(const char *text, const struct unit *units)
{
    const char *name = text + number_length(text);
    if (name == text)
        return 0;
    if (*name == ' ')
        name++;
    for (; units->name; units++)
        if (!strcmp(units->name, name))
            return units->factor;
    return 0;
}

bool kg_duration_parse(const char *text, double *ns)
{
    const uint64_t factor = unit_factor(text, durations);
    const double value = factor ? strtod(text, NULL) * (double)factor : INFINITY;
    if (!isfinite(value))
        return false;
    *ns = value;
    return true;
}

/* Splits a number into a whole number and a power of ten as its factor. false if the significant
 * digits do not fit. */
static bool decimal_split(const char *text, uint64_t *mantissa, int *power)
{
    const size_t length = number_length(text);
    size_t zeros = 0; /* seen, but not yet in the mantissa: they may be trailing */
    bool point = false;
    *mantissa = 0;
    *power = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == 'e' || text[i] == 'E') {
            const long exponent = strtol(text + i + 1, NULL, 10);
            if (exponent < -100000 || exponent > 100000)
                return false;
            *power += (int)exponent;
            break;
        }
        if (text[i] == '.') {
            point = true;
            continue;
        }
        if (i > 65536)
            return false;
        *power -= point;
        zeros++;
        if (text[i] == '0')
            continue;
        for (; zeros; zeros--)
            if (__builtin_mul_overflow(*mantissa, 10u, mantissa))
                return false;
        if (__builtin_add_overflow(*mantissa, (unsigned)(text[i] - '0'), mantissa))
            return false;
    }
    *power += (int)zeros;
    return true;
}

/* Calculates with whole numbers: 1.1GB is exactly 1100000000 bytes, without rounding. */
bool kg_size_parse(const char *text, uint64_t *bytes)
{
    uint64_t value, factor = unit_factor(text, sizes);
    int power;
    if (!factor || !decimal_split(text, &value, &power))
        return false;
    if (!value) {
        *bytes = 0;
        return true;
    }
    for (; power < 0; power++) {
        /* Divides by 10 = 5 * 2, each from the value or the unit, so that the product stays
         * small. */
        if (value % 5 == 0)
            value /= 5;
        else if (factor % 5 == 0)
            factor /= 5;
        else
            return false;
        if (factor % 2 == 0)
            factor /= 2;
        else if (value % 2 == 0)
            value /= 2;
        else
            return false;
    }
    for (; power > 0; power--)
        if (__builtin_mul_overflow(value, 10u, &value))
            return false;
    if (__builtin_mul_overflow(value, factor, &value))
        return false;
    *bytes = value;
    return true;
}

bool kg_share_parse(const char *text, double *share)
{
    static const struct unit percent[] = {{"%", 1}, {NULL, 0}};
    const double value = unit_factor(text, percent) ? strtod(text, NULL) / 100 : INFINITY;
    if (!isfinite(value))
        return false;
    *share = value;
    return true;
}

bool kg_count_parse(const char *text, uint64_t *count)
{
    const size_t length = digits(text);
    uint64_t value = 0;
    if (!length || text[length])
        return false;
    for (size_t i = 0; i < length; i++)
        if (__builtin_mul_overflow(value, 10u, &value) ||
            __builtin_add_overflow(value, (unsigned)(text[i] - '0'), &value))
            return false;
    *count = value;
    return true;
}

bool kg_number_parse(const char *text, double *number)
{
    const size_t sign = text[0] == '+' || text[0] == '-';
    const size_t length = number_length(text + sign);
    const double value = length && !text[sign + length] ? strtod(text, NULL) : INFINITY;
    if (!isfinite(value))
        return false;
    *number = value;
    return true;
}

struct scale {
    const char *unit;
    double size;
    double most; /* the next scale begins here */
};

/* 999.5 would be printed as 1000. */
static const struct scale duration_scales[] = {
    {" ns", 1, 999.5},  {" us", 1e3, 999.5},   {" ms", 1e6, 999.5},
    {" s", 1e9, 59.95}, {" min", 60e9, 59.95}, {" h", 3600e9, INFINITY},
};
static const struct scale size_scales[] = {
    {" B", 1, 1023.5},
    {" KiB", 1024, 1023.5},
    {" MiB", 1048576, 1023.5},
    {" GiB", 1073741824, 1023.5},
    {" TiB", 1099511627776, INFINITY},
};
static const struct scale rate_scales[] = {
    {"", 1, 999.5},     {" k", 1e3, 999.5},  {" M", 1e6, 999.5},
    {" G", 1e9, 999.5}, {" T", 1e12, 999.5}, {" P", 1e15, INFINITY},
};

static const struct scale energy_scales[] = {
    {" nJ", 1e-9, 999.5}, {" uJ", 1e-6, 999.5},   {" mJ", 1e-3, 999.5},
    {" J", 1, 999.5},     {" kJ", 1e3, INFINITY},
};

static char *scaled(double value, const struct scale *scale, char *buffer)
{
    const double size = fabs(value);
    if (isnan(value)) {
        snprintf(buffer, KG_UNIT_BYTES, "-");
        return buffer;
    }
    while (isfinite(scale->most) && size / scale->size >= scale->most)
        scale++;
    const double shown = value / scale->size, magnitude = fabs(shown);
    if (magnitude == 0)
        snprintf(buffer, KG_UNIT_BYTES, "0%s", scale->unit);
    else if (magnitude < 0.9995)
        snprintf(buffer, KG_UNIT_BYTES, "%#.3g%s", shown, scale->unit);
    else if (magnitude >= 1e6)
        snprintf(buffer, KG_UNIT_BYTES, "%.3g%s", shown, scale->unit);
    else
        snprintf(buffer, KG_UNIT_BYTES, "%.*f%s",
                 magnitude < 9.995   ? 2
                 : magnitude < 99.95 ? 1
                                     : 0,
                 shown, scale->unit);
    return buffer;
}

char *kg_duration_format(double ns, char *buffer)
{
    return scaled(ns, duration_scales, buffer);
}

char *kg_size_format(double bytes, char *buffer)
{
    /* A number of bytes has a fraction only if it is a mean. */
    if (fabs(bytes) < 1023.5 && bytes == floor(bytes)) {
        snprintf(buffer, KG_UNIT_BYTES, "%.0f B", bytes + 0.0);
        return buffer;
    }
    return scaled(bytes, size_scales, buffer);
}

char *kg_rate_format(double per_second, char *buffer)
{
    return scaled(per_second, rate_scales, buffer);
}

char *kg_value_format(const char *unit, double value, char *buffer)
{
    if (!strcmp(unit, "ns"))
        return kg_duration_format(value, buffer);
    if (!strcmp(unit, "bytes"))
        return kg_size_format(value, buffer);
    if (!strcmp(unit, "J"))
        return scaled(value, energy_scales, buffer);
    kg_rate_format(value, buffer);
    if (*unit && !isnan(value))
        snprintf(buffer + strlen(buffer), KG_UNIT_BYTES - strlen(buffer), "/s");
    return buffer;
}

char *kg_change_format(double ratio, char *buffer)
{
    const double change = (ratio - 1) * 100;
    if (isnan(change))
        snprintf(buffer, KG_UNIT_BYTES, "-");
    else if (fabs(change) < 0.05)
        snprintf(buffer, KG_UNIT_BYTES, "+0.0 %%"); /* never "-0.0 %" */
    else
        snprintf(buffer, KG_UNIT_BYTES, fabs(change) < 1e7 ? "%+.1f %%" : "%+.3g %%", change);
    return buffer;
}
