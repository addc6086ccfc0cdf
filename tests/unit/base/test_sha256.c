#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/sha256.h"
#include "test_support.h"

static const char *sum_of(const char *text, size_t piece, char hex[KG_SHA256_DIGITS + 1])
{
    struct kg_sha256 sum;
    const size_t length = strlen(text);
    kg_sha256_start(&sum);
    for (size_t i = 0; i < length; i += piece)
        kg_sha256_add(&sum, text + i, length - i < piece ? length - i : piece);
    kg_sha256_end(&sum, hex);
    return hex;
}

/* FIPS 180-4 gives these. */
static void known_hashes(void **state)
{
    char hex[KG_SHA256_DIGITS + 1];
    assert_string_equal(sum_of("", 1, hex),
                        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_string_equal(sum_of("abc", 3, hex),
                        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_string_equal(sum_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 7, hex),
                        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void instructions_of_the_processor_do_not_matter(void **state)
{
    char fast[KG_SHA256_DIGITS + 1], plain[KG_SHA256_DIGITS + 1];
    unsigned char bytes[400];
    struct kg_sha256 with, without;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * i + 7 * i);
    kg_sha256_start(&with);
    kg_sha256_start(&without);
    without.instructions = false;
    kg_sha256_add(&with, bytes, sizeof bytes);
    kg_sha256_add(&without, bytes, sizeof bytes);
    kg_sha256_end(&with, fast);
    kg_sha256_end(&without, plain);
    assert_string_equal(fast, plain);
}

static void pieces_do_not_matter(void **state)
{
    char text[201] = {0}, whole[KG_SHA256_DIGITS + 1], pieces[KG_SHA256_DIGITS + 1];
    for (size_t length = 0; length <= 200; length++) {
        for (size_t piece = 1; piece <= 130; piece += 43)
            assert_string_equal(sum_of(text, 1000, whole), sum_of(text, piece, pieces));
        if (length < 200)
            text[length] = (char)('a' + length % 26);
    }
}

static void a_file_that_cannot_be_read_has_none(void **state)
{
    char hex[KG_SHA256_DIGITS + 1];
    assert_false(kg_sha256_file("/nowhere/at/all", hex));
    assert_false(kg_sha256_file("/", hex));
    assert_true(kg_sha256_file("/dev/null", hex));
    assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_hashes),
        cmocka_unit_test(instructions_of_the_processor_do_not_matter),
        cmocka_unit_test(pieces_do_not_matter),
        cmocka_unit_test(a_file_that_cannot_be_read_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
