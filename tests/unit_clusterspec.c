/* tests/unit_clusterspec.c -- clusters and virtual clusters from what a user gives. */
#include "tests/testing.h"

#include <unistd.h>

#include "sim/model/clusterspec.h"
#include "tests/shared.h"

/* A file that is gone when the test ends. */
typedef struct TestFile {
    char path[64];
} TestFile;

static TestFile file_with(const char *text)
{
    TestFile file = {"/tmp/unit_clusterspec_XXXXXX"};
    int fd = mkstemp(file.path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    return file;
}

/* "SERVERS servers GPUS gpus CLASSES classes VCS vcs", or "[kind] message" without the names of our files. */
static const char *spec_of(const char *spec, const char *vc_file)
{
    static char out[1100];
    Arena arena = {0};
    Err err = {0};
    ClusterSpec c;
    if (cluster_spec_read(spec, vc_file, &arena, &c, &err)) {
        int gpus = 0, servers = 0;
        for (int s = 0; s < c.n_servers; s++) gpus += c.class_of[c.server[s].class_index].n_gpus;
        assert_int_equal(gpus, c.n_gpus);
        for (int v = 0; v < c.n_vcs; v++) servers += c.vc[v].n_servers;
        assert_true(servers <= c.n_servers);
        snprintf(out, sizeof out, "%d servers %d gpus %d classes %d vcs", c.n_servers, c.n_gpus, c.n_classes, c.n_vcs);
    } else {
        const char *text = err.text;
        if (strncmp(text, "/tmp/unit_clusterspec_", 22) == 0) text += 28;
        snprintf(out, sizeof out, "[%d] %s", (int)err.kind, text);
        assert_null(strchr(err.text, '\n'));
    }
    arena_free(&arena);
    return out;
}

static void assert_file(const char *text, const char *expected)
{
    TestFile file = file_with(text);
    const char *found = spec_of(file.path, NULL);
    unlink(file.path);
    assert_string_equal(found, expected);
}

static void assert_vcs(const char *cluster, const char *text, const char *expected)
{
    TestFile file = file_with(text);
    const char *found = spec_of(cluster, file.path);
    unlink(file.path);
    if (!strstr(found, expected)) fail_msg("expected \"%s\" in \"%s\"", expected, found);
}

static void words(void **state)
{
    (void)state;
    assert_string_equal(spec_of("16x4", NULL), "16 servers 64 gpus 1 classes 0 vcs");
    assert_string_equal(spec_of("1x1", ""), "1 servers 1 gpus 1 classes 0 vcs");
    assert_string_equal(spec_of("philly", NULL), "550 servers 2474 gpus 2 classes 0 vcs"); /* MLFS, section 4.1 */
    assert_string_equal(spec_of("p3", NULL), "20 servers 80 gpus 1 classes 0 vcs");
    const char *out_of_range[] = {"0x4", "4x0", "1000x1001", "99999999999999999999x1", "1x1000001"};
    for (size_t i = 0; i < sizeof out_of_range / sizeof *out_of_range; i++)
        assert_non_null(strstr(spec_of(out_of_range[i], NULL), "[2] cluster '"));
    assert_non_null(strstr(spec_of("phily", NULL), "[2] no cluster and no file 'phily' (did you mean 'philly'?): "));
    assert_non_null(strstr(spec_of("16y4", NULL), "expected SxG such as 16x4, philly, p3"));
    assert_string_equal(spec_of("no/such.json", NULL), "[2] no/such.json: cannot be opened: No such file or directory");
}

/* 18.6: 8a + 2b = 2474 GPUs and a + b = 550 servers: 229 of eight and 321 of two. */
static void vector_18_6(void **state)
{
    (void)state;
    Arena arena = {0};
    Err err = {0};
    ClusterSpec spec;
    assert_true(cluster_spec_read("philly", NULL, &arena, &spec, &err));
    int of[9] = {0};
    for (ServerId s = 0; s < spec.n_servers; s++) of[spec.class_of[spec.server[s].class_index].n_gpus]++;
    assert_true(of[8] == 229 && of[2] == 321 && of[8] + of[2] == spec.n_servers);
    for (int i = 0; i < spec.n_classes; i++) { /* 12 and 24 GB a GPU; 128 and 512 GB, 20 and 64 cores a server */
        const ServerClass *c = &spec.class_of[i];
        bool small = c->n_gpus == 2;
        assert_int_equal(c->gpu_memory_mib, small ? 12288 : 24576);
        assert_int_equal(c->memory_mib, small ? 131072 : 524288);
        assert_int_equal(c->cores, small ? 20 : 64);
    }
    arena_free(&arena);
}

#define HEAD "       machineId, number of GPUs, single GPU mem\n"

static void machine_lists(void **state)
{
    (void)state;
    assert_file(HEAD "m0,2, 12GB\nm1,2, 12GB\nm2,8, 24GB\n", "3 servers 12 gpus 2 classes 0 vcs");
    assert_file("m0,2,12GB\r\nm1,2,24GB", "2 servers 4 gpus 2 classes 0 vcs");
    assert_file(HEAD, "[3] : no server");
}

static void bad_machine_lists(void **state)
{
    (void)state;
    assert_file("m0,2,12GB\nm0,2,12GB\n", "[3] :2:1: expected each machine once, found 'm0'");
    assert_file("m0,0,12GB\n", "[3] :1:4: expected a number of GPUs from 1 to 4096, found '0'");
    assert_file("m0,two,12GB\n", "[3] :1:4: expected a number of GPUs from 1 to 4096, found 'two'");
    assert_file("m0,2,12\n", "[3] :1:6: expected a memory size such as 12GB, found '12'");
    assert_file("m0,2\n", "[3] :1: expected 3 fields (machine, GPUs, memory of a GPU), found 2");
    assert_file("m0,\"2,12GB\n", "[3] :1:4: expected a closing quote, found the end of the file");
    assert_file(",2,12GB\n", "[3] :1:1: expected the name of a machine, found ''");
    char many[245 * 20], *to = many; /* 244 x 4,096 = 999,424 */
    for (int i = 0; i < 245; i++) to += sprintf(to, "m%d,4096,12GB\n", i);
    assert_file(many, "[3] :245:6: expected at most 1000000 GPUs in all, found '4096'");
}

static void json_clusters(void **state)
{
    (void)state;
    Arena arena = {0};
    Err err = {0};
    ClusterSpec c;
    TestFile file = file_with(
        "{\"servers\": [{\"count\": 3, \"gpus\": 8, \"gpu_type\": \"V100\", \"gpu_memory_mib\": 16384, \"memory_mib\": "
        "524288, \"cores\": 64, \"network_gbps\": 10, \"rack\": \"r1\"}, {\"count\": 5, \"gpus\": 2, "
        "\"servers_per_rack\": 2}, {\"count\": 1, \"gpus\": 8, \"rack\": \"r1\"}, {\"count\": 1, "
        "\"gpus\": 1, \"rack\": \"r2\"}], \"vcs\": {\"a\": 4, \"6214e9\": "
        "5}}");
    assert_true(cluster_spec_read(file.path, NULL, &arena, &c, &err));
    unlink(file.path);
    assert_int_equal(c.n_servers, 10);
    assert_int_equal(c.n_gpus, 43);
    const ServerClass *v100 = &c.class_of[c.server[0].class_index];
    assert_string_equal(v100->gpu_type, "V100");
    assert_true(v100->n_gpus == 8 && v100->gpu_memory_mib == 16384 && v100->memory_mib == 524288 && v100->cores == 64);
    assert_true(v100->network_bytes_per_s == 1.25e9);
    const int racks[] = {0, 0, 0, 1, 1, 2, 2, 3, 0, 4};
    for (int s = 0; s < 10; s++) assert_int_equal(c.server[s].rack, racks[s]);
    assert_int_equal(c.n_vcs, 2);
    assert_string_equal(c.vc[1].name, "6214e9");
    assert_int_equal(c.vc[1].n_servers, 5);
    arena_free(&arena);
    assert_file("{\"servers\":[{\"count\":2,\"gpus\":1}],\"vcs\":[{\"name\":\"x\",\"servers\":2}]}",
                "2 servers 2 gpus 1 classes 1 vcs");
}

static void bad_json_clusters(void **state)
{
    (void)state;
    assert_file("{\"servers\":[{\"count\":2,\"gpu\":1}]}",
                "[3] : servers[0]: unknown key 'gpu' (did you mean 'gpus'?)");
    assert_file("{\"servers\":[{\"gpus\":1}]}", "[3] : servers[0]: missing key 'count'");
    assert_file("{\"servers\":[{\"count\":0,\"gpus\":1}]}",
                "[3] : servers[0]: 'count': expected a whole number from 1 to 1073741823");
    assert_file("{\"servers\":[{\"count\":1.5,\"gpus\":1}]}",
                "[3] : servers[0]: 'count': expected a whole number from 1 to 1073741823");
    assert_file("{\"servers\":[{\"count\":1000,\"gpus\":1001}]}", "[3] : servers[0]: more than 1000000 GPUs in all");
    assert_file("{\"servers\":[{\"count\":1,\"gpus\":1,\"gpus\":2}]}",
                "[3] : servers[0]: key 'gpus' stands there twice");
    assert_file("{\"servers\":[{\"count\":1,\"gpus\":1,\"rack\":\"a\",\"servers_per_rack\":1}]}",
                "[3] : servers[0]: 'rack' and 'servers_per_rack' exclude each other");
    assert_file("{\"servers\":[{\"count\":1,\"gpus\":1}],\"vcs\":{\"a\":1,\"a\":1}}",
                "[3] : virtual cluster 'a' stands there twice");
    assert_file("{\"servers\":[{\"count\":1,\"gpus\":1}],\"vcs\":{\"a\":2}}",
                "[3] : virtual clusters want 2 servers, but the cluster has 1");
    assert_file("{\"servers\":\n [}", "[3] :2:3: not valid JSON");
    assert_file("{\"servers\":[]}", "[3] : no server");
    assert_file("[]", "[3] : cluster: expected a JSON object");
    assert_file("{\"server\":[]}", "[3] : cluster: unknown key 'server' (did you mean 'servers'?)");
}

static void vc_files(void **state)
{
    (void)state;
    assert_vcs("8x4", "vc,node num\n6214e9,3\nb,5\n", "8 servers 32 gpus 1 classes 2 vcs");
    assert_vcs("8x4", "6214e9 , 3\r\nb,2", "8 servers 32 gpus 1 classes 2 vcs");
    assert_vcs("8x4", "vc,2\nb,5\n", "2 vcs"); /* a VC may be called vc */
    assert_vcs("8x4", "{\"a\": 3, \"b\": 5}", "2 vcs");
    assert_vcs("8x4", "a,3\nb,6\n", "virtual clusters want 9 servers, but the cluster has 8");
    assert_vcs("8x4", "a,3\na,2\n", ":2:1: expected each virtual cluster once, found 'a'");
    assert_vcs("8x4", "a,three\n", ":1:3: expected a number of servers, 1 or more, found 'three'");
    assert_vcs("8x4", "vc,servers\na,0\n", ":2:3: expected a number of servers, 1 or more, found '0'");
    assert_vcs("8x4", "a\n", ":1: expected 2 fields (vc, servers), found 1");
    assert_vcs("8x4", "vc,servers\n", "no virtual cluster");
    assert_vcs("8x4", "", "no virtual cluster");
    assert_vcs("8x4", "{\"a\": \"3\"}", "virtual cluster 'a': expected a whole number of servers");
    assert_string_equal(spec_of("8x4", "no/such"), "[2] no/such: cannot be opened: No such file or directory");
}

static void equal_clusters_have_equal_hashes(void **state)
{
    (void)state;
    Arena arena = {0};
    Err err = {0};
    ClusterSpec a, b, c;
    char x[17], y[17], z[17];
    TestFile file = file_with("{\"servers\":[{\"count\":3,\"gpus\":4}]}");
    assert_true(cluster_spec_read("3x4", NULL, &arena, &a, &err) &&
                cluster_spec_read(file.path, NULL, &arena, &b, &err) &&
                cluster_spec_read("4x3", NULL, &arena, &c, &err));
    unlink(file.path);
    cluster_spec_hash(&a, x);
    cluster_spec_hash(&b, y);
    cluster_spec_hash(&c, z);
    assert_string_equal(x, y);
    assert_string_not_equal(x, z);
    arena_free(&arena);
}

static void real_files(void **state)
{
    (void)state;
    if (!shared_is_here()) return;
    assert_string_equal(spec_of(shared_path("data/philly/cluster_machine_list"), NULL),
                        "552 servers 2490 gpus 2 classes 0 vcs");
    assert_string_equal(spec_of("352x8", shared_path("golden/helios/philly_vc.csv")),
                        "352 servers 2816 gpus 1 classes 11 vcs");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words),         cmocka_unit_test(vector_18_6),
        cmocka_unit_test(machine_lists), cmocka_unit_test(bad_machine_lists),
        cmocka_unit_test(json_clusters), cmocka_unit_test(bad_json_clusters),
        cmocka_unit_test(vc_files),      cmocka_unit_test(equal_clusters_have_equal_hashes),
        cmocka_unit_test(real_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
