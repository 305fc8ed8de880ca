/* tests/unit_curve.c -- true learning curves, and the noise around them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/model/curve.h"

static void assert_near(double value, double expected, double within)
{
    if (!(fabs(value - expected) <= within)) fail_msg("%.12g, expected %.12g", value, expected);
}

/* A family's curve without its jitter. */
static Curve plain(int family)
{
    const Family *f = &families[family];
    return (Curve){.key = 17,
                   .ceiling = f->ceiling,
                   .start = f->start,
                   .rate = f->rate,
                   .shape = f->shape,
                   .noise = f->noise,
                   .loss_start = log(f->n_classes),
                   .loss_end = .2,
                   .overfit_from = (double)INFINITY,
                   .form = f->curve};
}

/* The expected numbers are evaluations of the formulas in Python. */
static void curves_follow_their_formulas(void **state)
{
    (void)state;
    Curve resnet = plain(FAMILY_RESNET), alexnet = plain(FAMILY_ALEXNET), svm = plain(FAMILY_SVM);
    assert_near(curve_accuracy(&resnet, 7.5), 0.831788693681587, 1e-12);
    assert_near(curve_loss(&resnet, 7.5), 0.4924109770452328, 1e-12);
    assert_near(curve_accuracy(&alexnet, 1), 0.33161313246711754, 1e-12);
    assert_near(curve_accuracy(&svm, 2.385), 0.7303358813325113, 1e-12);
    for (int i = 0; i < N_FAMILIES; i++) {
        Curve c = plain(i);
        assert_near(curve_accuracy(&c, 0), c.start, 1e-15);
        assert_near(curve_loss(&c, 0), log(families[i].n_classes), 1e-15);
        assert_near(curve_accuracy(&c, 1e9), c.ceiling, 1e-9);
        assert_near(curve_loss(&c, 1e9), .2, 1e-9);
    }
}

/* A fit to CIFAR-10 ResNet-18 after 20 epochs, evaluated at 100. */
static void extrapolation_of_a_published_fit(void **state)
{
    (void)state;
    Curve c = {.ceiling = .9096, .start = .2122, .rate = .5777, .shape = 1.2387, .form = SHAPE_MMF};
    assert_near(curve_accuracy(&c, 100), .905, .001);
}

/* When 95 % of the way is done: (19^(1/δ))/κ; for the SVM, 3·ln 20. */
static void epochs_to_an_accuracy(void **state)
{
    (void)state;
    double epoch[] = {32.7684, 18.5278, 5.9336, 32.7436, 8.9872};
    for (int i = FAMILY_ALEXNET; i <= FAMILY_SVM; i++) {
        Curve c = plain(i);
        assert_near(curve_epochs_to(&c, c.start + .95 * (c.ceiling - c.start)), epoch[i], .001);
    }
    for (int i = 0; i < N_FAMILIES; i++) {
        Curve c = plain(i);
        for (double e = .385; e < 60; e *= 1.7) assert_near(curve_epochs_to(&c, curve_accuracy(&c, e)), e, 1e-6 * e);
        assert_true(curve_epochs_to(&c, c.start) == 0 && curve_epochs_to(&c, 0) == 0);
        assert_true(isinf(curve_epochs_to(&c, c.ceiling)) && isinf(curve_epochs_to(&c, 1)));
    }
}

static void truth_never_falls(void **state)
{
    (void)state;
    for (uint64_t key = 1; key <= 200; key++) {
        Curve c = curve_draw(&families[key % N_FAMILIES], key, 80, false);
        double accuracy = 0, loss = (double)INFINITY;
        for (double e = 0; e < 150; e += .31) {
            assert_true(curve_accuracy(&c, e) >= accuracy && curve_loss(&c, e) <= loss);
            accuracy = curve_accuracy(&c, e);
            loss = curve_loss(&c, e);
        }
        assert_true(accuracy <= c.ceiling && loss >= c.loss_end);
    }
}

static void jitter_stays_in_its_range(void **state)
{
    (void)state;
    const Family *f = &families[FAMILY_MLP]; /* .97 x 1.03 would pass the highest ceiling */
    double rate = 0, rate2 = 0, highest = 0, lowest = 1;
    int n = 4000;
    for (int i = 0; i < n; i++) {
        Curve c = curve_draw(f, (uint64_t)i, 50, false);
        assert_true(c.ceiling >= .97 * .97 && c.ceiling <= .995);
        assert_true(c.shape >= 1.35 && c.shape <= 1.65);
        assert_true(c.loss_end >= .05 && c.loss_end <= .4 && isinf(c.overfit_from));
        highest = fmax(highest, c.ceiling);
        lowest = fmin(lowest, c.ceiling);
        double z = log(c.rate / f->rate) / .25;
        rate += z / n;
        rate2 += z * z / n;
    }
    assert_true(highest == .995 && lowest < .942);
    assert_near(rate, 0, .055); /* 3.5 standard errors of a mean, 1/√4000 each; and of a variance, √(2/4000) each */
    assert_near(rate2, 1, .078);
}

static void overfitting_turns_the_loss(void **state)
{
    (void)state;
    Curve c = plain(FAMILY_RESNET);
    c.overfit_from = 40;
    assert_near(curve_loss(&c, 40), 0.2417671201866877, 1e-12);
    assert_near(curve_loss(&c, 52.5), 0.24781129819135486, 1e-12); /* 12.5 epochs at .2 % */
    Curve same = plain(FAMILY_RESNET);
    assert_true(curve_loss(&c, 39.9) == curve_loss(&same, 39.9) && curve_accuracy(&c, 90) == curve_accuracy(&same, 90));
    for (uint64_t key = 0; key < 300; key++) {
        Curve d = curve_draw(&families[FAMILY_LSTM], key, 60, true);
        assert_true(d.overfit_from >= 42 && d.overfit_from <= 72);
        assert_true(curve_loss(&d, d.overfit_from) < curve_loss(&d, d.overfit_from - 1));
        assert_true(curve_loss(&d, d.overfit_from) < curve_loss(&d, d.overfit_from + 1));
    }
}

/* Accuracy and loss of an epoch share one normal draw of deviation σ_n; accuracies near 1 are cut off there. */
static void noise_is_normal_and_named(void **state)
{
    (void)state;
    Curve c = plain(FAMILY_LSTM), other = c;
    other.key = 18;
    double sum = 0, squares = 0, before = 0, product = 0;
    int n = 4000, equal = 0;
    for (int e = 1; e <= n; e++) {
        double z = (curve_observed_accuracy(&c, e) - curve_accuracy(&c, e)) / c.noise;
        double slope = (c.loss_start - c.loss_end) / (c.ceiling - c.start);
        assert_near(curve_observed_loss(&c, e), curve_loss(&c, e) - slope * z * c.noise, 1e-12);
        assert_true(curve_observed_accuracy(&c, e) == curve_observed_accuracy(&c, e));
        equal += curve_observed_accuracy(&c, e) == curve_observed_accuracy(&other, e);
        sum += z / n;
        squares += z * z / n;
        product += z * before / n;
        before = z;
    }
    assert_int_equal(equal, 0);
    assert_near(sum, 0, .055);
    assert_near(squares, 1, .078);
    assert_near(product, 0, .055); /* neighbours are unrelated */
}

static void observations_stay_possible(void **state)
{
    (void)state;
    Curve c = plain(FAMILY_MLP);
    c.noise = .4;
    int full = 0, none = 0, lossless = 0;
    for (int e = 1; e <= 500; e++) {
        double a = curve_observed_accuracy(&c, e), l = curve_observed_loss(&c, e);
        assert_true(a >= 0 && a <= 1 && l >= 0);
        full += a == 1;
        none += a == 0;
        lossless += l == 0;
    }
    assert_true(full > 100 && none > 0 && lossless > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curves_follow_their_formulas), cmocka_unit_test(extrapolation_of_a_published_fit),
        cmocka_unit_test(epochs_to_an_accuracy),        cmocka_unit_test(truth_never_falls),
        cmocka_unit_test(jitter_stays_in_its_range),    cmocka_unit_test(overfitting_turns_the_loss),
        cmocka_unit_test(noise_is_normal_and_named),    cmocka_unit_test(observations_stay_possible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
