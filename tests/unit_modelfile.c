/* tests/unit_modelfile.c -- nets in files: what is written is read, anything else is one sentence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "rl/agent.h"
#include "rl/modelfile.h"
#include "tests/tempfolder.h"

enum { MOST = 1 << 17 };

static const ModelHead head = {.policy = "mlf-rl",
                               .feature_version = 3,
                               .shape = {3, {5, 4, 3, 1}},
                               .seed = 0x1122334455667788,
                               .constant = {1834.5, 2.385e12, .75}};

static const char *path_of(const char *name)
{
    static char path[4][64];
    static int next;
    char *p = path[next++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", folder, name);
    return p;
}

static size_t bytes_of(const char *path, unsigned char bytes[MOST])
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t n = fread(bytes, 1, MOST, file);
    fclose(file);
    assert_true(n < MOST);
    return n;
}

static Mlp drawn_net(Arena *arena, const MlpShape *shape)
{
    Mlp net = mlp_open(arena, *shape, KERNEL_REFERENCE);
    mlp_draw(&net, 9);
    return net;
}

static void save_model(Arena *arena, const ModelHead *h, const char *path)
{
    Err err = {0};
    Model model = {*h, drawn_net(arena, &h->shape).parameter};
    if (!model_save(&model, arena, path, &err)) fail_msg("%s", err.text);
}

/* Reading these bytes as a model fails with these words. */
static void refuses(const unsigned char *bytes, size_t n, const ModelHead *wanted, const char *words)
{
    Arena arena = {0};
    Err err = {0};
    Model model;
    Source *source = source_open_bytes(&arena, "it", bytes, n, &err);
    if (source && model_read(source, wanted, &arena, &model, &err)) fail_msg("read, but expected: %s", words);
    source_close(source);
    assert_int_equal(err.kind, ERR_DATA);
    assert_null(strchr(err.text, '\n'));
    if (!strstr(err.text, words)) fail_msg("expected \"%s\" in \"%s\"", words, err.text);
    arena_free(&arena);
}

/* ---- users.md U73 ---- */

static int choice_of(Arena *arena, const double *parameter, int row)
{
    Mlp net = mlp_open(arena, head.shape, KERNEL_REFERENCE);
    memcpy(net.parameter, parameter, (size_t)net.n_parameters * sizeof *parameter);
    Chooser c = chooser(arena, &net);
    float x[8 * 5];
    for (int i = 0; i < 8 * 5; i++) x[i] = (float)rng_fraction(4, "test row", (uint64_t)(row * 40 + i));
    return chooser_choose(&c, 8, x, NULL, NULL);
}

static void u73_save_load_save(void **state)
{
    (void)state;
    static unsigned char one[MOST], two[MOST];
    Arena arena = {0};
    Err err = {0};
    Model model;
    save_model(&arena, &head, path_of("one"));
    if (!model_load(path_of("one"), &head, &arena, &model, &err)) fail_msg("%s", err.text);
    assert_true(model_save(&model, &arena, path_of("two"), &err));
    size_t n = bytes_of(path_of("one"), one);
    assert_int_equal(n, bytes_of(path_of("two"), two));
    assert_memory_equal(one, two, n);
    assert_memory_equal(&model.head, &head, sizeof head);
    Mlp net = drawn_net(&arena, &head.shape);
    bool differ = false;
    for (int i = 0; i < 100; i++) {
        int choice = choice_of(&arena, model.parameter, i);
        assert_int_equal(choice, choice_of(&arena, net.parameter, i));
        differ |= choice != choice_of(&arena, model.parameter, 0);
    }
    assert_true(differ);
    arena_free(&arena);
}

/* The layout, byte by byte where it has structure. */
static void the_bytes_are_as_documented(void **state)
{
    (void)state;
    static unsigned char b[MOST];
    static const unsigned char start[] = {'m',  'l',  'f',  's',  '-',  'n',  'e',  't',  /* magic */
                                          1,    0,    0,    0,    1,    0,    0,    0,    /* format 1, kind: net */
                                          'm',  'l',  'f',  '-',  'r',  'l',  0,    0,    /* policy ... */
                                          0,    0,    0,    0,    0,    0,    0,    0,    /* ... in 16 bytes */
                                          3,    0,    0,    0,    3,    0,    0,    0,    /* features 3, three layers */
                                          5,    0,    0,    0,    4,    0,    0,    0,    /* widths */
                                          3,    0,    0,    0,    1,    0,    0,    0,    /* */
                                          0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, /* seed */
                                          0,    0,    0,    0,    0,    0xaa, 0x9c, 0x40}; /* 1834.5 */
    Arena arena = {0};
    save_model(&arena, &head, path_of("bytes"));
    size_t n = bytes_of(path_of("bytes"), b);
    assert_memory_equal(b, start, sizeof start);
    assert_int_equal(n, sizeof start + 2 * 8 + 8 * (6 * 4 + 5 * 3 + 4) + 32);
    Mlp net = drawn_net(&arena, &head.shape);
    uint64_t bits = 0, last;
    for (int i = 0; i < 8; i++) bits |= (uint64_t)b[n - 40 + (size_t)i] << (8 * i);
    memcpy(&last, &net.parameter[net.n_parameters - 1], sizeof last);
    assert_true(bits == last);
    arena_free(&arena);
}

static void u73_any_damage_is_a_sentence(void **state)
{
    (void)state;
    static unsigned char b[MOST];
    Arena arena = {0};
    save_model(&arena, &head, path_of("damage"));
    size_t n = bytes_of(path_of("damage"), b);
    for (size_t cut = 0; cut < n; cut++) refuses(b, cut, &head, "it: ");
    refuses(b, n - 1, &head, "the checksum is wrong: the file is cut short or damaged");
    refuses(b, 14, &head, "expected more of the net, found the end of the file");
    refuses(b, 5, &head, "expected a net trained by mlfs-sim, found something else");
    for (size_t i = 0; i < n; i++)
        for (int bit = 0; bit < 8; bit += 7) {
            b[i] ^= (unsigned char)(1 << bit);
            refuses(b, n, &head, i < 8 ? "something else" : i < 12 ? "format version" : "the checksum is wrong");
            b[i] ^= (unsigned char)(1 << bit);
        }
    b[n] = 0;
    refuses(b, n + 1, &head, "the checksum is wrong");
    arena_free(&arena);
}

static void u73_another_net_is_told_apart(void **state)
{
    (void)state;
    static unsigned char b[MOST];
    Arena arena = {0};
    save_model(&arena, &head, path_of("other"));
    size_t n = bytes_of(path_of("other"), b);
    ModelHead wanted = head;
    wanted.shape.width[1] = 64;
    refuses(b, n, &wanted, "expected a net of shape 5-64-3-1, found 5-4-3-1");
    wanted = head;
    wanted.feature_version = 4;
    refuses(b, n, &wanted, "expected a model for features of version 4, found version 3: train it again");
    wanted = head;
    strcpy(wanted.policy, "rl");
    refuses(b, n, &wanted, "expected a model for policy 'rl', found one for 'mlf-rl'");

    ModelHead odd = head;
    odd.constant[1] = -(double)INFINITY;
    save_model(&arena, &odd, path_of("odd"));
    n = bytes_of(path_of("odd"), b);
    refuses(b, n, &head, "a number of the net is not finite");

    Err err = {0};
    Model model;
    assert_false(model_load(path_of("none"), &head, &arena, &model, &err));
    assert_int_equal(err.kind, ERR_USAGE);
    arena_free(&arena);
}

/* ---- checkpoints ---- */

static DecisionLog some_decisions(Arena *arena)
{
    DecisionLog log = decision_log(arena, 5);
    for (int d = 0; d < 50; d++) {
        float x[4 * 5];
        for (int i = 0; i < 4 * 5; i++) x[i] = (float)rng_fraction(8, "test row", (uint64_t)(d * 20 + i));
        decision_add(&log, 4, x, NULL, d % 4, d);
        log.decision[d].advantage = d % 7 - 3;
    }
    return log;
}

static Agent new_agent(Arena *arena)
{
    AgentRule rule = {.rate = 1e-2, .longest_gradient = 1};
    return agent_open(arena, &rule, head.shape, KERNEL_REFERENCE, 2, 1);
}

static void steps(Agent *agent, const DecisionLog *log, int n)
{
    Err err = {0};
    AgentProgress progress;
    for (int i = 0; i < n; i++) assert_true(agent_reinforce(agent, log, 1, .01, &progress, &err));
}

static Checkpoint checkpoint_of(const Agent *agent, int64_t iteration, const char *extra)
{
    return (Checkpoint){.model = {head, agent->net.parameter},
                        .adam = agent->adam,
                        .iteration = iteration,
                        .extra = (const unsigned char *)extra,
                        .n_extra = (int64_t)strlen(extra)};
}

static void a_training_resumes_to_the_same_bytes(void **state)
{
    (void)state;
    static unsigned char whole[MOST], resumed[MOST];
    Arena arena = {0};
    Err err = {0};
    DecisionLog log = some_decisions(&arena);
    Agent agent = new_agent(&arena), later = new_agent(&arena);
    steps(&agent, &log, 12);
    Checkpoint c = checkpoint_of(&agent, 12, "a curve");
    if (!checkpoint_save(&c, &arena, path_of("half"), &err)) fail_msg("%s", err.text);
    steps(&agent, &log, 9);
    c = checkpoint_of(&agent, 21, "");
    assert_true(checkpoint_save(&c, &arena, path_of("whole"), &err));

    Checkpoint half;
    if (!checkpoint_load(path_of("half"), &head, &arena, &half, &err)) fail_msg("%s", err.text);
    assert_true(half.iteration == 12 && half.adam.step == 12 && half.n_extra == 7);
    assert_memory_equal(half.extra, "a curve", 7);
    later.net.parameter = half.model.parameter;
    later.adam = half.adam;
    steps(&later, &log, 9);
    c = checkpoint_of(&later, 21, "");
    assert_true(checkpoint_save(&c, &arena, path_of("resumed"), &err));
    size_t n = bytes_of(path_of("whole"), whole);
    assert_int_equal(n, bytes_of(path_of("resumed"), resumed));
    assert_memory_equal(whole, resumed, n);
    arena_free(&arena);
}

static void a_checkpoint_is_no_model(void **state)
{
    (void)state;
    static unsigned char b[MOST];
    Arena arena = {0};
    Err err = {0};
    Agent agent = new_agent(&arena);
    Checkpoint c = checkpoint_of(&agent, 0, "x"), loaded;
    assert_true(checkpoint_save(&c, &arena, path_of("checkpoint"), &err));
    refuses(b, bytes_of(path_of("checkpoint"), b), &head, "it: expected a model, found a training checkpoint");
    save_model(&arena, &head, path_of("model"));
    assert_false(checkpoint_load(path_of("model"), &head, &arena, &loaded, &err));
    assert_non_null(strstr(err.text, "expected a training checkpoint, found a model"));
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(u73_save_load_save),
        cmocka_unit_test(the_bytes_are_as_documented),
        cmocka_unit_test(u73_any_damage_is_a_sentence),
        cmocka_unit_test(u73_another_net_is_told_apart),
        cmocka_unit_test(a_training_resumes_to_the_same_bytes),
        cmocka_unit_test(a_checkpoint_is_no_model),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
