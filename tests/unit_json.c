/* tests/unit_json.c -- numbers in JSON read back as they were; what does not exist is null. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/base/json.h"

/* The text that json_write gives for a tree. */
static void written(const cJSON *tree, char *text, size_t room)
{
    char path[] = "/tmp/unit_json_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    Arena arena = {0};
    Err err = {0};
    Out *out = out_open(&arena, path, &err);
    assert_non_null(out);
    json_write(out, tree);
    assert_true(out_close(out, &err));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, room - 1, file)] = '\0';
    fclose(file);
    unlink(path);
    arena_free(&arena);
}

static void numbers_read_back(void **state)
{
    (void)state;
    cJSON *tree = cJSON_CreateObject();
    json_set_double(tree, "sum", 0.1 + 0.2); /* cJSON itself prints 0.3 */
    json_set_int(tree, "big", INT64_C(9007199254740993));
    json_set_time(tree, "at", 1500000000123456);
    char text[400];
    written(tree, text, sizeof text);
    assert_string_equal(
        text, "{\n\t\"sum\":\t0.30000000000000004,\n\t\"big\":\t9007199254740993,\n\t\"at\":\t1500000000.123456\n}\n");
    cJSON_Delete(tree);
}

static void absent_is_null(void **state)
{
    (void)state;
    cJSON *tree = cJSON_CreateObject();
    json_set_double(tree, "nan", (double)NAN);
    json_set_double(tree, "inf", HUGE_VAL);
    json_set_time(tree, "never", TIME_NEVER);
    json_set_text(tree, "text", NULL);
    json_set_null(tree, "null");
    json_set_bool(tree, "yes", true);
    json_set_text(json_set_object(tree, "in"), "quote", "a\"b");
    cJSON_AddItemToArray(json_set_array(tree, "list"), json_int(-3));
    char text[400];
    written(tree, text, sizeof text);
    assert_string_equal(text, "{\n\t\"nan\":\tnull,\n\t\"inf\":\tnull,\n\t\"never\":\tnull,\n\t\"text\":\tnull,\n"
                              "\t\"null\":\tnull,\n\t\"yes\":\ttrue,\n\t\"in\":\t{\n\t\t\"quote\":\t\"a\\\"b\"\n\t},\n"
                              "\t\"list\":\t[-3]\n}\n");
    cJSON_Delete(tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_read_back),
        cmocka_unit_test(absent_is_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
