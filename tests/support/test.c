/* SPDX-License-Identifier: MIT */
/* test.c: the asserts of test.h. */
#include "tests/support/test.h"

int test_is_one_line(const char *text)
{
    return text != NULL && text[0] != '\0' && strchr(text, '\n') == NULL;
}

void test_expect_status(int32_t expected, int32_t status, const char *call, const char *file, int line)
{
    if (status == expected && (status == ISOMAT_OK || test_is_one_line(isomat_error_message())))
        return;
    print_error("%s\n", call);
    print_error("    gave %s (%d), wanted %s\n", isomat_status_name(status), (int)status,
                isomat_status_name(expected));
    if (status != ISOMAT_OK)
        print_error("    message: \"%s\"\n", isomat_error_message());
    _fail(file, line);
}

void test_expect_message(const char *file, int line, ...)
{
    const char *message = isomat_error_message();
    const char *word;
    va_list words;

    va_start(words, line);
    while ((word = va_arg(words, const char *)) != NULL) {
        if (strstr(message, word) != NULL)
            continue;
        va_end(words);
        print_error("the message lacks \"%s\": \"%s\"\n", word, message);
        _fail(file, line);
        return;
    }
    va_end(words);
}
