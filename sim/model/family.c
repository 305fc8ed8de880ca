/* sim/model/family.c -- the table of networks, and the names traces have for them. */
#include "sim/model/family.h"

#include <ctype.h>
#include <string.h>

#include "sim/base/text.h"

enum { GIB = 1024, MB = 1000000, PLAIN_TEXT = 64, SHORT_NAME = 3 };

/* activation_bytes, fp32: AlexNet 256x6x6 behind its convolutions, batch 128; ResNet 14x14x1024, batch 64; MLP 2048,
 * batch 256; LSTM 200 for 20x35 tokens; Transformer 768 for 8x512 tokens. */
const Family families[N_FAMILIES] = {
    [FAMILY_ALEXNET] = {.name = "alexnet",
                        .partition = PARTITION_CHAIN,
                        .max_partitions = 8,
                        .parameter_bytes = 244400000,
                        .n_layers = 8,
                        .layer_mb = {0, 1.2, 2.5, 5.1, 3.4, 144, 64, 15.6},
                        .batch_bytes = MB,
                        .activation_bytes = 4718592,
                        .gpu_demand_mean = .50,
                        .gpu_demand_sd = .10,
                        .cores = 3,
                        .memory_mib = 8 * GIB,
                        .gpu_memory_mib = 4 * GIB,
                        .skew = .61,
                        .curve = SHAPE_MMF,
                        .ceiling = .90,
                        .start = .25,
                        .rate = .25,
                        .shape = 1.4,
                        .noise = .010,
                        .n_classes = 4,
                        .min_epochs = 40,
                        .max_epochs = 100},
    [FAMILY_RESNET] = {.name = "resnet",
                       .partition = PARTITION_LAYERED,
                       .max_partitions = 16,
                       .parameter_bytes = 102200000,
                       .n_layers = 50,
                       .batch_bytes = MB,
                       .activation_bytes = 51380224,
                       .gpu_demand_mean = .75,
                       .gpu_demand_sd = .10,
                       .cores = 3,
                       .memory_mib = 8 * GIB,
                       .gpu_memory_mib = 8 * GIB + GIB / 2,
                       .skew = .11,
                       .curve = SHAPE_MMF,
                       .ceiling = .95,
                       .start = .10,
                       .rate = .58,
                       .shape = 1.24,
                       .noise = .008,
                       .n_classes = 10,
                       .min_epochs = 50,
                       .max_epochs = 150},
    [FAMILY_MLP] = {.name = "mlp",
                    .partition = PARTITION_CHAIN,
                    .max_partitions = 4,
                    .parameter_bytes = 23200000,
                    .n_layers = 3,
                    .batch_bytes = 1500,
                    .activation_bytes = 2097152,
                    .gpu_demand_mean = .12,
                    .gpu_demand_sd = .05,
                    .cores = 1,
                    .memory_mib = 4 * GIB,
                    .gpu_memory_mib = 2 * GIB,
                    .skew = .72,
                    .curve = SHAPE_MMF,
                    .ceiling = .97,
                    .start = .10,
                    .rate = 1.2,
                    .shape = 1.5,
                    .noise = .003,
                    .n_classes = 10,
                    .min_epochs = 15,
                    .max_epochs = 60},
    [FAMILY_LSTM] = {.name = "lstm",
                     .partition = PARTITION_LAYERED,
                     .max_partitions = 8,
                     .parameter_bytes = 56000000,
                     .n_layers = 4,
                     .batch_bytes = 1500,
                     .activation_bytes = 560000,
                     .gpu_demand_mean = .55,
                     .gpu_demand_sd = .15,
                     .cores = 1,
                     .memory_mib = 4 * GIB,
                     .gpu_memory_mib = 4 * GIB,
                     .skew = .48,
                     .curve = SHAPE_MMF,
                     .ceiling = .90,
                     .start = .125,
                     .rate = .15,
                     .shape = 1.85,
                     .noise = .012,
                     .n_classes = 8,
                     .min_epochs = 30,
                     .max_epochs = 100},
    [FAMILY_SVM] = {.name = "svm",
                    .partition = PARTITION_NONE,
                    .max_partitions = 1,
                    .server_only = true,
                    .parameter_bytes = 400000,
                    .n_layers = 1,
                    .batch_bytes = 1500,
                    .gpu_demand_mean = .08,
                    .gpu_demand_sd = .03,
                    .cores = 2,
                    .memory_mib = 4 * GIB,
                    .gpu_memory_mib = GIB + GIB / 2,
                    .skew = 1,
                    .curve = SHAPE_EXPONENTIAL,
                    .ceiling = .92,
                    .start = .50,
                    .rate = 1. / 3,
                    .shape = 1,
                    .noise = .003,
                    .n_classes = 2,
                    .min_epochs = 10,
                    .max_epochs = 40},
    [FAMILY_TRANSFORMER] = {.name = "transformer",
                            .partition = PARTITION_LAYERED,
                            .max_partitions = 12,
                            .parameter_bytes = 440000000,
                            .n_layers = 12,
                            .batch_bytes = 1500,
                            .activation_bytes = 12582912,
                            .gpu_demand_mean = .65,
                            .gpu_demand_sd = .10,
                            .cores = 3,
                            .memory_mib = 6 * GIB,
                            .gpu_memory_mib = 12186, /* 11.9 GiB */
                            .skew = .2,
                            .curve = SHAPE_MMF,
                            .ceiling = .92,
                            .start = .10,
                            .rate = .12,
                            .shape = 1.6,
                            .noise = .010,
                            .n_classes = 10,
                            .min_epochs = 20,
                            .max_epochs = 80},
};

/* Networks by what they are made of.  A name of up to three letters must stand alone: "lm" is not "lmfdb". */
static const struct {
    const char *name;
    int family;
} known[] = {
    {"alexnet", FAMILY_ALEXNET},
    {"vgg", FAMILY_ALEXNET},
    {"lenet", FAMILY_ALEXNET},
    {"resnet", FAMILY_RESNET},
    {"resnext", FAMILY_RESNET},
    {"wideresnet", FAMILY_RESNET},
    {"inception", FAMILY_RESNET},
    {"googlenet", FAMILY_RESNET},
    {"densenet", FAMILY_RESNET},
    {"mobilenet", FAMILY_RESNET},
    {"efficientnet", FAMILY_RESNET},
    {"cyclegan", FAMILY_RESNET},
    {"mlp", FAMILY_MLP},
    {"ncf", FAMILY_MLP},
    {"neumf", FAMILY_MLP},
    {"dssm", FAMILY_MLP},
    {"recommendation", FAMILY_MLP},
    {"lstm", FAMILY_LSTM},
    {"gru", FAMILY_LSTM},
    {"rnn", FAMILY_LSTM},
    {"lm", FAMILY_LSTM},
    {"wlm", FAMILY_LSTM},
    {"seq2seq", FAMILY_LSTM},
    {"deepspeech", FAMILY_LSTM},
    {"a3c", FAMILY_LSTM},
    {"svm", FAMILY_SVM},
    {"transformer", FAMILY_TRANSFORMER},
    {"bert", FAMILY_TRANSFORMER},
    {"gpt", FAMILY_TRANSFORMER},
};

/* Lower case, without what joins words; cut to PLAIN_TEXT. */
static void make_plain(const char *name, char plain[PLAIN_TEXT])
{
    size_t n = 0;
    for (; *name && n + 1 < PLAIN_TEXT; name++)
        if (!strchr("-_ ", *name)) plain[n++] = (char)tolower((unsigned char)*name);
    plain[n] = '\0';
}

const Family *family_find(const char *name)
{
    char plain[PLAIN_TEXT];
    make_plain(name, plain);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t n = strlen(known[i].name);
        if (text_starts(plain, known[i].name) && (n > SHORT_NAME || !isalpha((unsigned char)plain[n])))
            return &families[known[i].family];
    }
    return NULL;
}
