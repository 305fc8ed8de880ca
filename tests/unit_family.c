/* tests/unit_family.c -- the table of networks agrees with itself, and traces' names find their family. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/model/family.h"

static void every_family_is_consistent(void **state)
{
    (void)state;
    for (int i = 0; i < N_FAMILIES; i++) {
        const Family *f = &families[i];
        assert_ptr_equal(family_find(f->name), f);
        assert_true(f->start == 1. / f->n_classes); /* training begins at chance */
        assert_true(f->start < f->ceiling && f->ceiling < 1 && f->rate > 0 && f->shape > 0 && f->noise > 0);
        assert_in_range(f->min_epochs, 1, f->max_epochs - 1);
        assert_true(f->max_partitions == 1 ? f->partition == PARTITION_NONE : f->partition != PARTITION_NONE);
        assert_true(f->max_partitions == 1 || f->activation_bytes > 0);
        assert_true(f->gpu_demand_mean > f->gpu_demand_sd && f->gpu_demand_mean < 1);
        assert_true(f->cores >= 1 && f->memory_mib >= 4096 && f->gpu_memory_mib >= 1536);
        assert_true(f->gpu_memory_mib <= 16 * 1024); /* fits the paper's V100 */
        assert_true(f->skew > 0 && f->skew <= 1 && f->batch_bytes > 0);
    }
}

/* 4 bytes a parameter: 61.1, 25.56, 5.8, 14.0, 0.1 and 110 million. */
static void sizes_are_four_bytes_a_parameter(void **state)
{
    (void)state;
    double millions[N_FAMILIES] = {61.1, 25.55, 5.8, 14, .1, 110};
    for (int i = 0; i < N_FAMILIES; i++)
        assert_true(fabs((double)families[i].parameter_bytes / 4e6 - millions[i]) < 1e-9);
}

/* Tiresias' tensors of AlexNet: 235.8 MB together, the largest of them 144 MB, a share of .61. */
static void alexnet_is_mostly_one_layer(void **state)
{
    (void)state;
    double sum = 0, largest = 0;
    for (int i = 0; i < MOST_LAYERS; i++) {
        sum += families[FAMILY_ALEXNET].layer_mb[i];
        largest = fmax(largest, families[FAMILY_ALEXNET].layer_mb[i]);
    }
    assert_true(fabs(sum - 235.8) < 1e-9);
    assert_true(fabs(largest / sum - families[FAMILY_ALEXNET].skew) < .005);
}

static void names_of_traces_are_known(void **state)
{
    (void)state;
    const struct {
        const char *name;
        int family; /* -1: unknown */
    } cases[] = {
        {"AlexNet", FAMILY_ALEXNET},
        {"vgg16", FAMILY_ALEXNET},
        {"VGG-19", FAMILY_ALEXNET},
        {"resnet50", FAMILY_RESNET},
        {"ResNet-18 (batch size 32)", FAMILY_RESNET},
        {"resnext-110", FAMILY_RESNET},
        {"inception-bn", FAMILY_RESNET},
        {"Inception4", FAMILY_RESNET},
        {"MLP", FAMILY_MLP},
        {"NeuMF", FAMILY_MLP},
        {"Recommendation (batch size 512)", FAMILY_MLP},
        {"LM (batch size 20)", FAMILY_LSTM},
        {"seq2seq", FAMILY_LSTM},
        {"Deep_Speech2", FAMILY_LSTM},
        {"lstm", FAMILY_LSTM},
        {"A3C", FAMILY_LSTM},
        {"svm", FAMILY_SVM},
        {"BERT-base", FAMILY_TRANSFORMER},
        {"gpt2", FAMILY_TRANSFORMER},
        {"Transformer", FAMILY_TRANSFORMER},
        {"", -1},
        {"  ", -1},
        {"r", -1},
        {"resne", -1},
        {"lmfdb", -1},    /* a short name stands alone */
        {"gptneo", -1},   /* it does */
        {"mlpmixer", -1}, /* no perceptron of ours */
        {"xresnet", -1},
        {"a name longer than any network was ever given, much longer than the sixty-four bytes kept", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const Family *want = cases[i].family < 0 ? NULL : &families[cases[i].family];
        if (family_find(cases[i].name) != want) fail_msg("%s", cases[i].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_family_is_consistent),
        cmocka_unit_test(sizes_are_four_bytes_a_parameter),
        cmocka_unit_test(alexnet_is_mostly_one_layer),
        cmocka_unit_test(names_of_traces_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
