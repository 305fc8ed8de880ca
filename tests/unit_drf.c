/* tests/unit_drf.c -- dominant resource fairness: the paper's example, turns among equals, books that balance. */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

#include "policies/drf.h"

/* Launches for whoever is next until nothing fits; "ABA..." in order. */
static void fill(Drf *drf, const int64_t demand[][DRF_RESOURCES], int n, char launched[], size_t room)
{
    int64_t left[DRF_RESOURCES];
    memcpy(left, drf->capacity, sizeof left);
    drf_begin(drf);
    for (int i = 0; i < n; i++) drf_offer(drf, drf_add(drf));
    size_t used = 0;
    for (int i; (i = drf_next(drf)) >= 0;) {
        bool fits = true;
        for (int r = 0; r < DRF_RESOURCES; r++) fits = fits && demand[i][r] <= left[r];
        if (!fits) continue;
        for (int r = 0; r < DRF_RESOURCES; r++) left[r] -= demand[i][r];
        drf_launch(drf, i, demand[i]);
        drf_offer(drf, i);
        assert_true(used + 1 < room);
        launched[used++] = (char)('A' + i);
    }
    launched[used] = 0;
}

/* 9 CPUs, 18 GB; a task of A takes <1, 4>, one of B <3, 1>.  Shares A 0, 4/18, 8/18, 12/18; B 0, 3/9, 6/9: A at 0 as
 * the first, B at 0, A at 4/18, B at 3/9, A at 8/18; then both have 2/3, and the 9 CPUs are gone. */
static void v18_3_the_example_of_the_paper(void **state)
{
    (void)state;
    static const int64_t demand[][DRF_RESOURCES] = {{1, 4}, {3, 1}};
    Arena arena = {0};
    Drf drf;
    char launched[16];
    drf_open(&drf, &arena, (const int64_t[DRF_RESOURCES]){9, 18});
    fill(&drf, demand, 2, launched, sizeof launched);
    assert_string_equal(launched, "ABABA");
    assert_int_equal(drf.user[0].taken[0] + drf.user[1].taken[0], 9);
    assert_int_equal(drf.user[0].taken[1] + drf.user[1].taken[1], 14);
    assert_true(drf_share(&drf, 0) == 2.0 / 3 && drf_share(&drf, 1) == 2.0 / 3);
    arena_free(&arena);
}

/* One machine: whoever has it gives it back before the next launch, so all shares are 0 each time. */
static void equal_shares_take_turns(void **state)
{
    (void)state;
    static const int64_t one[DRF_RESOURCES] = {1};
    Arena arena = {0};
    Drf drf;
    char order[16] = "";
    drf_open(&drf, &arena, (const int64_t[DRF_RESOURCES]){1});
    for (int i = 0; i < 3; i++) drf_add(&drf);
    for (int i = 0; i < 7; i++) {
        drf_begin(&drf);
        for (int u = 2; u >= 0; u--)
            if (u || i < 3) drf_offer(&drf, u); /* the first wants nothing any more after three launches */
        int next = drf_next(&drf);
        drf_launch(&drf, next, one);
        assert_true(drf_share(&drf, next) == 1);
        drf_release(&drf, next, one);
        assert_true(drf_share(&drf, next) == 0);
        order[i] = (char)('A' + next);
    }
    assert_string_equal(order, "ABCBCBC");
    drf_begin(&drf);
    assert_int_equal(drf_next(&drf), -1);
    arena_free(&arena);
}

/* A hundred users with different holdings come out by share; when holdings change inside, after reordering. */
static void they_come_out_in_order(void **state)
{
    (void)state;
    enum { USERS = 100 };
    Arena arena = {0};
    Drf drf;
    drf_open(&drf, &arena, (const int64_t[DRF_RESOURCES]){1000, 0, 50});
    for (int i = 0; i < USERS; i++) {
        drf_add(&drf);
        drf_launch(&drf, i, (const int64_t[DRF_RESOURCES]){i * 37 % 101 * 10, 5, i * 61 % 103});
    }
    for (int change = 0; change < 2; change++) {
        drf_begin(&drf);
        for (int i = 0; i < USERS; i++) drf_offer(&drf, i);
        if (change) {
            for (int i = 0; i < USERS; i += 3) drf_release(&drf, i, drf.user[i].taken);
            drf_reorder(&drf);
        }
        double last = -1;
        int n = 0;
        for (int i; (i = drf_next(&drf)) >= 0; n++) {
            assert_true(drf_share(&drf, i) >= last);
            last = drf_share(&drf, i);
        }
        assert_int_equal(n, USERS);
        assert_true(last > 0);
    }
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(v18_3_the_example_of_the_paper),
        cmocka_unit_test(equal_shares_take_turns),
        cmocka_unit_test(they_come_out_in_order),
    };
    return cmocka_run_group_tests_name("drf", tests, NULL, NULL);
}
