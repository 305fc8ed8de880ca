/* tests/unit_corpus.c -- the malformed samples give the expected sentence; fuzz seeds, whole and damaged, break
 * nothing.
 */
#include "tests/testing.h"

#include <dirent.h>

#define LLVMFuzzerTestOneInput try_trace
#include "tests/fuzz_trace.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput try_cluster
#include "tests/fuzz_cluster.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput try_model
#include "tests/fuzz_model.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput try_config
#include "tests/fuzz_config.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput try_results
#include "tests/fuzz_results.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput try_snapshot
#include "tests/fuzz_snapshot.c"

#define SAMPLES "traces/samples/malformed"

static const struct Sample {
    const char *name, *message;
} samples[] = {
    {"wrong-field-count.csv", ":3: expected 5 fields, found 6"},
    {"not-a-number.csv", ":3:5: expected a whole number from 0 to 1000000, found 'one'"},
    {"negative-duration.csv", ":3:7: expected a length of time, 0 or more, to the microsecond, found '-10'"},
    {"finer-than-a-microsecond.csv",
     ":3:3: expected a number of seconds, to the microsecond, like those before, found '5.0000001'"},
    {"duplicate-id.csv", ":4:1: expected a job id not seen before, found '1' again"},
    {"missing-id.csv", ":3:1: expected a value for job_id, found none"},
    {"missing-column.csv", ":1: missing column: duration (accepted: duration_s, duration, run_time, runtime; or "
                           "start_time and end_time)"},
    {"two-names-one-meaning.csv", ":1:28: columns 'num_gpu' and 'gpus' both mean n_gpus"},
    {"unclosed-quote.csv", ":3:7: expected a closing quote, found the end of the file"},
    {"dates-and-numbers.csv", ":3:3: expected a date YYYY-MM-DD hh:mm:ss like those before, found '1507338000'"},
    {"header-only.csv", ": 0 usable jobs (read=0 skipped=0)"},
    {"empty.csv", ": 0 usable jobs (read=0 skipped=0): the file is empty"},
    {"nothing-usable.csv", ": 0 usable jobs (read=2 skipped=2: no_submit=1 cpu_only=1)"},
    {"cut-short.csv.gz", ": unexpected end of compressed data"},
    {"garbage-behind.csv.gz", ": garbage after the end of the compressed data"},
    {"wrong-checksum.csv.gz", ": corrupt compressed data (incorrect data check)"},
    {"philly-cut-short.json", ":2: expected '{', found the end of the file"},
    {"philly-trailing.json", ":2:1: expected the end of the file, found '['"},
    {"philly-wrong-type.json", ":2:2: job 'j2': 'vc': expected a text, found something else"},
    {"philly-bad-date.json", ":2:2: job 'j2': 'submitted_time': expected YYYY-MM-DD hh:mm:ss, found '7 October'"},
    {"philly-missing-comma.json", ":2:16: expected valid JSON, found an error"},
};
enum { N_SAMPLES = sizeof samples / sizeof *samples };

static void malformed_samples_are_refused(void **state)
{
    (void)state;
    for (int i = 0; i < N_SAMPLES; i++) {
        Reading r;
        char path[256], expected[400];
        snprintf(path, sizeof path, SAMPLES "/%s", samples[i].name);
        snprintf(expected, sizeof expected, "%s%s", path, samples[i].message);
        reading_open(&r, "");
        assert_false(trace_read(path, NULL, &r.params, &r.arena, &r.workload, &r.err));
        assert_string_equal(r.err.text, expected);
        assert_int_equal(r.err.kind, ERR_DATA);
        reading_close(&r);
    }
}

static int files_in(const char *folder, void (*visit)(const char *path))
{
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    int n = 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (*entry->d_name == '.') continue;
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (visit) visit(path);
        n++;
    }
    closedir(dir);
    return n;
}

static void every_sample_has_its_sentence(void **state)
{
    (void)state;
    assert_int_equal(files_in(SAMPLES, NULL), N_SAMPLES);
}

static size_t file_bytes(const char *path, uint8_t bytes[], size_t room)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t n = fread(bytes, 1, room, file);
    fclose(file);
    assert_true(n < room);
    return n;
}

/* Every choice of keys over the whole seed; then cut at every length, and with each byte changed. */
static void try_seed(const char *path, int (*try)(const uint8_t *, size_t))
{
    static uint8_t seed[8192];
    size_t n = file_bytes(path, seed, sizeof seed);
    uint8_t choice = seed[0];
    for (int c = 0; c < 256; c++) {
        seed[0] = (uint8_t)c;
        try(seed, n);
    }
    seed[0] = choice;
    for (size_t cut = 0; cut < n; cut++) try(seed, cut);
    for (size_t i = 1; i < n; i++) {
        static const uint8_t changes[] = {0x01, 0x20, 0x80, 0xff};
        for (size_t k = 0; k < sizeof changes; k++) {
            seed[i] ^= changes[k];
            try(seed, n);
            seed[i] ^= changes[k];
        }
    }
}

static void visit_trace(const char *path)
{
    try_seed(path, try_trace);
}

static void visit_cluster(const char *path)
{
    try_seed(path, try_cluster);
}

static void visit_model(const char *path)
{
    try_seed(path, try_model);
}

static void visit_config(const char *path)
{
    try_seed(path, try_config);
}

static void visit_snapshot(const char *path)
{
    try_seed(path, try_snapshot);
}

/* Ten files an input take their time: whole, and cut in a few places. */
static void visit_results(const char *path)
{
    static uint8_t seed[8192];
    size_t n = file_bytes(path, seed, sizeof seed);
    for (size_t cut = 0; cut <= n; cut += 1 + n / 40) try_results(seed, n - cut);
}

static void damaged_traces_break_nothing(void **state)
{
    (void)state;
    assert_true(files_in("tests/corpus/fuzz_trace", visit_trace) >= 5);
}

static void damaged_clusters_break_nothing(void **state)
{
    (void)state;
    assert_true(files_in("tests/corpus/fuzz_cluster", visit_cluster) >= 5);
}

static void damaged_models_break_nothing(void **state)
{
    (void)state;
    assert_true(files_in("tests/corpus/fuzz_model", visit_model) >= 5);
}

static void damaged_configurations_break_nothing(void **state)
{
    (void)state;
    assert_true(files_in("tests/corpus/fuzz_config", visit_config) >= 5);
}

static void damaged_results_break_nothing(void **state)
{
    (void)state;
    assert_true(files_in("tests/corpus/fuzz_results", visit_results) >= 5);
}

static void damaged_snapshots_break_nothing(void **state)
{
    (void)state;
    assert_true(files_in("tests/corpus/fuzz_snapshot", visit_snapshot) >= 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(malformed_samples_are_refused), cmocka_unit_test(every_sample_has_its_sentence),
        cmocka_unit_test(damaged_traces_break_nothing),  cmocka_unit_test(damaged_clusters_break_nothing),
        cmocka_unit_test(damaged_models_break_nothing),  cmocka_unit_test(damaged_configurations_break_nothing),
        cmocka_unit_test(damaged_results_break_nothing), cmocka_unit_test(damaged_snapshots_break_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
