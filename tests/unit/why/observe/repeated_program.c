/* A program whose calls test_repeat_tracer.c counts. Compiled with debug information, and without
 * sanitizers. It waits for a byte, makes the calls that its argument names, answers with a byte,
 * and waits for the end of its input. With `at_once` it makes them and ends. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone, used, externally_visible))

enum { CALLS = 20, MANY = 2000, ROOM = 1 << 18 };

struct inner {
    double values[64];
};

struct outer {
    int number;
    struct inner *inner;
};

struct pair {
    int a, b;
};

static volatile double sink;

APART void take_number(unsigned char number)
{
    sink += number;
}

APART void take_array(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sink += values[i];
}

APART void take_square(const double *values, int side)
{
    for (int i = 0; i < side * side; i++)
        sink += values[i];
}

APART void take_text(const char *text)
{
    sink += (double)strlen(text);
}

APART void take_floats(double wide, int number, float narrow)
{
    sink += wide + narrow + number;
}

APART void take_object(const struct outer *outer)
{
    sink += outer->inner->values[0];
}

APART void take_void(const void *bytes)
{
    sink += *(const char *)bytes;
}

APART void take_structure(struct pair pair)
{
    sink += pair.a;
}

APART void take_several(int count, ...)
{
    sink += count;
}

APART void take_nothing(void)
{
    sink += 1;
}

static double *arrays[2];

static void numbers(int i)
{
    take_number((unsigned char)(i % 2));
}

static void new_numbers(int i)
{
    take_number((unsigned char)i);
}

/* Two arrays of equal contents. */
static void equal_arrays(int i)
{
    take_array(arrays[i % 2], 8);
}

/* One array, whose contents change near its beginning. */
static void changed_array(int i)
{
    arrays[0][3] = i;
    take_array(arrays[0], 8);
}

/* The contents change at the end of a long array. */
static void far_array(int i)
{
    enum { LONG = 3000 };
    arrays[0][LONG - 1] = i;
    take_array(arrays[0], LONG);
}

/* The contents change behind the end. */
static void array_end(int i)
{
    enum { LONG = 100 };
    arrays[0][LONG] = i;
    take_array(arrays[0], LONG);
}

/* Only the middle of a square changes. */
static void squares(int i)
{
    enum { SIDE = 64 };
    arrays[0][SIDE / 2 * SIDE + SIDE / 2 + 1] = i;
    take_square(arrays[0], SIDE);
}

/* Only bytes behind the end of the text change. */
static void texts(int i)
{
    char text[64];
    snprintf(text, sizeof text, "equal");
    text[40] = (char)i;
    take_text(text);
}

static void new_texts(int i)
{
    char text[64];
    snprintf(text, sizeof text, "text %d", i);
    take_text(text);
}

static void floats(int i)
{
    (void)i;
    take_floats(1.5, 7, 2.5F);
}

static void new_floats(int i)
{
    take_floats(1.5, 7, (float)i);
}

static struct inner inner;
static struct outer outer = {.number = 1, .inner = &inner};

static void objects(int i)
{
    (void)i;
    take_object(&outer);
}

/* The object stays, and memory behind its pointer changes. */
static void changed_object(int i)
{
    inner.values[5] = i;
    take_object(&outer);
}

static void voids(int i)
{
    take_void(arrays[i % 2]);
}

static void structures(int i)
{
    (void)i;
    take_structure((struct pair){1, 2});
}

static void several(int i)
{
    (void)i;
    take_several(1, 2);
}

static void nothing(int i)
{
    (void)i;
    take_nothing();
}

static const struct {
    const char *name;
    void (*call)(int i);
} patterns[] = {{"numbers", numbers},
                {"new_numbers", new_numbers},
                {"equal_arrays", equal_arrays},
                {"changed_array", changed_array},
                {"far_array", far_array},
                {"array_end", array_end},
                {"squares", squares},
                {"texts", texts},
                {"new_texts", new_texts},
                {"floats", floats},
                {"new_floats", new_floats},
                {"objects", objects},
                {"changed_object", changed_object},
                {"voids", voids},
                {"structures", structures},
                {"several", several},
                {"nothing", nothing}};

static void *calls_make(void *user)
{
    const char *name = user;
    const int calls = strncmp(name, "many_", 5) ? CALLS : MANY;
    name += strncmp(name, "many_", 5) ? 0 : 5;
    for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++)
        for (int i = 0; !strcmp(patterns[p].name, name) && i < calls; i++)
            patterns[p].call(i);
    return NULL;
}

static int in_threads(char *name)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, calls_make, name) != 0)
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

int main(int count, char **words)
{
    char byte;
    if (count < 2)
        return 1;
    alarm(120); /* ends the process even if the test crashes */
    arrays[0] = calloc(ROOM, sizeof **arrays);
    arrays[1] = calloc(ROOM, sizeof **arrays);
    if (!arrays[0] || !arrays[1])
        return 1;
    if (count > 2 && !strcmp(words[2], "at_once")) {
        calls_make(words[1]);
        return 0;
    }
    if (write(STDOUT_FILENO, "r", 1) != 1)
        return 1;
    while (read(STDIN_FILENO, &byte, 1) == 1) {
        if (count > 2 && in_threads(words[1]) != 0)
            return 1;
        if (count == 2)
            calls_make(words[1]);
        if (write(STDOUT_FILENO, &byte, 1) != 1)
            return 1;
    }
    return 0;
}
