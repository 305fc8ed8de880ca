/* tests/unit_csv.c -- the CSV lexer, the native format and Helios: what is accepted, what is refused and where. */
#include "tests/testing.h"

#include "sim/base/csvline.h"
#include "tests/shared.h"

/* ---- lexer ---- */

/* Fields as [a][b] per record, one record a line; faults as "line:column what". */
static const char *lexed(const char *text, size_t n)
{
    static char out[4000];
    Arena arena = {0};
    Err err = {0};
    size_t used = 0;
    out[0] = '\0';
    Source *source = source_open_bytes(&arena, "x.csv", text, n, &err);
    CsvLexer lexer = csv_open(source, &arena);
    for (CsvResult result; (result = csv_next(&lexer, &err)) != CSV_END;) {
        assert_int_not_equal(result, CSV_FAILED);
        if (result == CSV_FAULT) {
            used += (size_t)snprintf(out + used, sizeof out - used, "%lld:%d %s", (long long)lexer.fault_line,
                                     lexer.fault_column, lexer.fault);
        }
        for (int i = 0; result == CSV_RECORD && i < lexer.n_fields; i++)
            used += (size_t)snprintf(out + used, sizeof out - used, "[%.*s]", (int)lexer.field[i].length,
                                     lexer.field[i].text);
        used += (size_t)snprintf(out + used, sizeof out - used, "\n");
    }
    source_close(source);
    arena_free(&arena);
    return out;
}

static void assert_lexed(const char *text, const char *expected)
{
    assert_string_equal(lexed(text, strlen(text)), expected);
}

static void fields(void **state)
{
    (void)state;
    assert_lexed("", "");
    assert_lexed("a,b", "[a][b]\n");
    assert_lexed("a,b\nc,\n", "[a][b]\n[c][]\n");
    assert_lexed("a,b\r\nc,d\r\n", "[a][b]\n[c][d]\n");
    assert_lexed("a,b\r\nc,d\r", "[a][b]\n[c][d]\n");
    assert_lexed("\xef\xbb\xbf"
                 "a,b\n",
                 "[a][b]\n");
    assert_lexed("\n\n  \na\r\n\r\nb", "[a]\n[b]\n");
    assert_lexed(" a , b\t,  \n", "[a][b][]\n");
    assert_lexed("a\rb\n", "[a\rb]\n");
}

static void quotes(void **state)
{
    (void)state;
    assert_lexed("\"a,b\",c\n", "[a,b][c]\n");
    assert_lexed("\"a\"\"b\",\"\"\"\",\"\"\n", "[a\"b][\"][]\n");
    assert_lexed("\"a\nb\r\nc\",d\ne\n", "[a\nb\r\nc][d]\n[e]\n");
    assert_lexed(" \" a \" , b\n", "[ a ][b]\n");
    assert_lexed("5\" disk,b\n", "[5\" disk][b]\n");
    assert_lexed("\"\"\n", "[]\n"); /* a record with an empty field, no blank line */
}

static void faults_have_places(void **state)
{
    (void)state;
    assert_lexed("a,b\nc,\"d\ne", "[a][b]\n2:3 expected a closing quote, found the end of the file\n");
    assert_lexed("a,\"b\"c,d\ne\n", "1:6 expected a comma after the closing quote\n[e]\n");
    assert_lexed("a,\"b\nb\" c\ne\n", "2:4 expected a comma after the closing quote\n[e]\n");
    assert_string_equal(lexed("a,b\nc,\0d\ne", 10), "[a][b]\n2:3 expected text, found a NUL byte\n[e]\n");
}

static void records_at_the_edge_of_the_window(void **state)
{
    (void)state;
    /* A quoted field with doubled quotes and line ends that begins at each of some offsets around 256 KiB. */
    for (int shift = -12; shift <= 4; shift++) {
        size_t lead = (size_t)((256 << 10) + shift);
        char *text = malloc(lead + 64);
        assert_non_null(text);
        memset(text, 'x', lead);
        text[lead - 1] = '\n';
        strcpy(text + lead, "\"a\"\"\r\nb\",c\r\nd,e\r\n");
        Arena arena = {0};
        Err err = {0};
        Source *source = source_open_bytes(&arena, "x.csv", text, lead + strlen(text + lead), &err);
        CsvLexer lexer = csv_open(source, &arena);
        assert_int_equal(csv_next(&lexer, &err), CSV_RECORD);
        assert_int_equal(lexer.field[0].length, lead - 1);
        assert_int_equal(csv_next(&lexer, &err), CSV_RECORD);
        assert_int_equal(lexer.n_fields, 2);
        assert_true(csv_is(&lexer.field[0], "a\"\r\nb") && csv_is(&lexer.field[1], "c"));
        assert_int_equal(csv_next(&lexer, &err), CSV_RECORD);
        assert_true(csv_is(&lexer.field[0], "d") && csv_is(&lexer.field[1], "e"));
        assert_int_equal(lexer.record_line, 4);
        assert_int_equal(csv_next(&lexer, &err), CSV_END);
        source_close(source);
        arena_free(&arena);
        free(text);
    }
}

/* ---- cases of users ---- */

static void u03_never_started(void **state)
{
    (void)state;
    Reading r;
    reads(&r, "", "trace.csv",
          "job_id,gpu_num,state,submit_time,start_time,end_time\n"
          "11,1,CANCELLED,2020-06-09 18:41:00,None,2020-06-09 18:43:00\n"
          "12,1,COMPLETED,2020-06-09 18:42:00,2020-06-09 18:42:00,2020-06-09 18:52:00\n");
    assert_int_equal(r.workload.counts.read, 2);
    assert_int_equal(r.workload.counts.skipped[SKIP_NEVER_STARTED], 1);
    assert_int_equal(r.workload.n, 1);
    assert_job(&r, 0, "12", 1591728120, 600, 1); /* date -ud '2020-06-09 18:42' +%s */
    assert_true(r.workload.calendar);
    assert_string_equal(r.workload.job[0].status, "COMPLETED");
    reading_close(&r);
}

static void u05_censored(void **state)
{
    (void)state;
    Reading r;
    reads(&r, "", "trace.csv", "job_id,submit_time,start_time,end_time,num_gpu\n31,400,500,0,1\n32,400,500,800,1\n");
    assert_int_equal(r.workload.counts.skipped[SKIP_CENSORED], 1);
    assert_int_equal(r.workload.n, 1);
    assert_job(&r, 0, "32", 400, 300, 1);
    assert_false(r.workload.calendar);
    reading_close(&r);
}

#define U07                                                                                                            \
    "job_id,submit_time,num_gpu,duration,model_name\n"                                                                 \
    "1,0,1,10,\"a,b\"\n"                                                                                               \
    "2,5,1,10,a,b\n"

static void u07_wrong_field_count(void **state)
{
    (void)state;
    Reading r;
    refuses("", "trace.csv", U07, "trace.csv:3: expected 5 fields, found 6");
    refuses("", "trace.csv", "job_id,submit_time,num_gpu,duration\n1,0,1\n", "trace.csv:2: expected 4 fields, found 3");
    reads(&r, "trace.lenient=1", "trace.csv", U07);
    assert_int_equal(r.workload.counts.skipped[SKIP_BAD_FIELDS], 1);
    assert_int_equal(r.workload.n, 1);
    assert_string_equal(r.workload.job[0].model, "a,b");
    reading_close(&r);
}

static void u09_line_ends(void **state)
{
    (void)state;
    const char *forms[] = {
        "job_id,submit_time,num_gpu,duration\r\n1,0,1,10\r\n2,0,1,20",
        "job_id,submit_time,num_gpu,duration\n1,0,1,10\n2,0,1,20\n",
        "\xef\xbb\xbfjob_id,submit_time,num_gpu,duration\n1,0,1,10\n2,0,1,20",
        " job_id , submit_time,num_gpu,duration \r\n 1 , 0 ,1,10\r\n\r\n2,0,1,\t20\r\n",
    };
    char first[17] = "", hash[17];
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        Reading r;
        reads(&r, "", "trace.csv", forms[i]);
        assert_int_equal(r.workload.n, 2);
        assert_job(&r, 1, "2", 0, 20, 1);
        workload_hash(&r.workload, i ? hash : first);
        if (i) assert_string_equal(hash, first);
        reading_close(&r);
    }
}

static void u15_stable_order(void **state)
{
    (void)state;
    Reading r, sorted;
    char a[17], b[17];
    reads(&r, "", "trace.csv", "job_id,submit_time,num_gpu,duration\nx,20,1,10\ny,0,1,30\nv,10,1,4\nw,10,1,5\n");
    assert_job(&r, 0, "y", 0, 30, 1);
    assert_job(&r, 1, "v", 10, 4, 1);
    assert_job(&r, 2, "w", 10, 5, 1);
    assert_job(&r, 3, "x", 20, 10, 1);
    assert_int_equal(r.workload.counts.out_of_order, 3);
    reads(&sorted, "", "trace.csv", "job_id,submit_time,num_gpu,duration\ny,0,1,30\nv,10,1,4\nw,10,1,5\nx,20,1,10\n");
    assert_int_equal(sorted.workload.counts.out_of_order, 0);
    workload_hash(&r.workload, a);
    workload_hash(&sorted.workload, b);
    assert_string_equal(a, b);
    reading_close(&r);
    reading_close(&sorted);
}

static void u15_many_shuffled(void **state)
{
    (void)state;
    enum { N = 5000 };
    char *text = malloc((size_t)N * 40 + 100);
    assert_non_null(text);
    size_t used = (size_t)sprintf(text, "job_id,submit_time,num_gpu,duration\n");
    for (int i = 0; i < N; i++) /* 1234 and 5000 share only the factor 2: many ties, order of the file within each */
        used += (size_t)sprintf(text + used, "%d,%d,1,%d\n", i, i * 1234 % N, i);
    Reading r;
    reads(&r, "", "trace.csv", text);
    assert_int_equal(r.workload.n, N);
    for (int k = 1; k < N; k++) {
        const JobSpec *a = &r.workload.job[k - 1], *b = &r.workload.job[k];
        assert_true(a->submit < b->submit || (a->submit == b->submit && atoi(a->name) < atoi(b->name)));
        assert_int_equal(b->submit, atoi(b->name) * 1234 % N * TIME_SECOND);
        assert_int_equal(b->duration, atoi(b->name) * TIME_SECOND);
    }
    reading_close(&r);
    free(text);
}

static void u17_times_stay_as_traced(void **state)
{
    (void)state;
    Reading r;
    reads(&r, "", "trace.csv", "job_id,submit_time,num_gpu,duration\n1,39600,2,50\n2,39610,2,30\n");
    assert_job(&r, 0, "1", 39600, 50, 2);
    assert_job(&r, 1, "2", 39610, 30, 2);
    reading_close(&r);
}

static void u19_columns_by_name(void **state)
{
    (void)state;
    Reading r;
    reads(&r, "", "trace.csv", "job_id,submit_time,num_gpu,duration,zone,tag\n1,0,1,10,eu,x\n");
    assert_string_equal(r.workload.notice, "ignored columns: zone,tag");
    reading_close(&r);
    refuses("", "trace.csv", "job_id,submit_time,num_gpu\n1,0,1\n", "missing column: duration (accepted: duration_s,");
    refuses("", "trace.csv", "job_id,submit_time,duration\n1,0,1\n", "missing column: n_gpus");
    refuses("", "trace.csv", "job_id,submit_time,num_gpu,durations\n1,0,1,5\n", "not 'durations'");
    refuses("", "trace.csv", "job_id,submit_time,start_time,num_gpu\n1,0,0,1\n", "missing column: duration");
    refuses("", "trace.csv", "1,0,1,10\n2,0,1,20\n", "missing column: job_id");
    refuses("", "trace.csv", "job_id,submit_s,submit_time,num_gpu,duration\n1,0,0,1,10\n",
            "trace.csv:1:17: columns 'submit_s' and 'submit_time' both mean submit_time");
}

static void u67_nothing_usable(void **state)
{
    (void)state;
    refuses("", "t.csv", "", "t.csv: 0 usable jobs (read=0 skipped=0): the file is empty");
    refuses("", "t.csv", "job_id,submit_time,num_gpu,duration\n", "t.csv: 0 usable jobs (read=0 skipped=0)");
    refuses("", "t.csv", "job_id,submit_time,num_gpu,duration\n1,0,0,10\n2,,1,10\n3,5,0,1\n",
            "t.csv: 0 usable jobs (read=3 skipped=3: no_submit=1 cpu_only=2)");
    refuses("trace.status=pass", "t.csv", "job_id,submit_time,num_gpu,duration\n1,0,1,10\n",
            "(read=1 skipped=1: status=1)");
    refuses("trace.lenient=1", "t.csv", "job_id,submit_time,num_gpu,duration\n1,0,x,10\n",
            "(read=1 skipped=1: bad_number=1)");
}

/* ---- values ---- */

#define HEAD "job_id,submit_time,num_gpu,duration\n"

static void numbers_are_whole_and_in_range(void **state)
{
    (void)state;
    refuses("", "t.csv", HEAD "1,0,1,ten\n",
            "t.csv:2:7: expected a length of time, 0 or more, to the microsecond, "
            "found 'ten'");
    const char *bad[] = {
        "1,0,1,-5",        "1,0,1,1e",        "1,0,1,0x10",    "1,0,1,10s",         "1,0,1,nan",
        "1,0,1,inf",       "1,0,1,1.0000001", "1,0,1,1e13",    "1,-1,1,5",          "1,0,8.0,5",
        "1,0,-1,5",        "1,0,1e0,5",       "1,0,1000001,5", "1,0,99999999999,5", "1,1 000,1,5",
        "1,\"1,000\",1,5", "1,0,1,1,5",       "1,0,+,5",       "1,0.5.5,1,5",       "1,2017-10-07,1,5",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[200];
        snprintf(text, sizeof text, HEAD "%s\n", bad[i]);
        refuses("", "t.csv", text, "t.csv:2");
    }
    Reading r;
    reads(&r, "", "t.csv", HEAD "a,0.000001,1000000,1e3\nb,1.5,1,0.1\nc,2.0000000,1,1000000000000\n");
    assert_job(&r, 0, "a", 0.000001, 1000, 1000000);
    assert_int_equal(r.workload.job[1].duration, 100000);
    assert_int_equal(r.workload.job[2].duration, TIME_LIMIT);
    reading_close(&r);
}

static void missing_values(void **state)
{
    (void)state;
    Reading r;
    refuses("", "t.csv", HEAD ",0,1,10\n", "t.csv:2:1: expected a value for job_id, found none");
    refuses("", "t.csv", HEAD "1,0,,10\n", "t.csv:2:5: expected a value for n_gpus, found none");
    refuses("", "t.csv", HEAD "1,0,1,\n", "t.csv:2:7: expected a value for duration, found none");
    reads(&r, "", "t.csv", HEAD "1,,1,10\n2,None,1,10\n3,5,1,10\n");
    assert_int_equal(r.workload.counts.skipped[SKIP_NO_SUBMIT], 2);
    reading_close(&r);
    refuses("trace.strict=1", "t.csv", HEAD "1,,1,10\n2,0,0,10\n3,5,1,10\n",
            "t.csv: 2 records are no usable job (trace.strict=1): 1 (no_submit), 2 (cpu_only)");
    reads(&r, "", "t.csv", "job_id,submit_time,num_gpu,start_time,end_time\n1,0,1,5,\n2,0,1,,\n3,0,1,5,7\n");
    assert_int_equal(r.workload.counts.skipped[SKIP_STILL_RUNNING], 1);
    assert_int_equal(r.workload.counts.skipped[SKIP_NEVER_STARTED], 1);
    reading_close(&r);
}

static void duplicates_are_errors(void **state)
{
    (void)state;
    Reading r;
    refuses("", "t.csv", HEAD "7,0,1,10\n8,0,1,10\n7,5,1,10\n",
            "t.csv:4:1: expected a job id not seen before, found '7' again");
    refuses("", "t.csv", HEAD "7,0,0,10\n7,5,1,10\n", "found '7' again");
    reads(&r, "trace.lenient=1", "t.csv", HEAD "7,0,1,10\n8,0,1,10\n7,5,1,10\n07,5,1,1\n");
    assert_int_equal(r.workload.counts.skipped[SKIP_DUPLICATE], 1);
    assert_int_equal(r.workload.n, 3);
    reading_close(&r);
}

static void texts_stay_texts(void **state)
{
    (void)state;
    Reading r;
    reads(&r, "", "t.csv",
          "job_id,submit_time,num_gpu,duration,vc,user,state\n007,0,1,10,6214e9,u,Pass\n7,1,1,10,0e4a51,u,\n");
    assert_string_equal(r.workload.job[0].name, "007");
    assert_string_equal(r.workload.job[0].vc, "6214e9");
    assert_string_equal(r.workload.job[1].vc, "0e4a51");
    assert_ptr_equal(r.workload.job[0].user, r.workload.job[1].user);
    assert_null(r.workload.job[1].status);
    assert_null(r.workload.job[1].model);
    reading_close(&r);
}

static void optional_columns(void **state)
{
    (void)state;
    Reading r;
    reads(&r, "", "t.csv",
          "job_id,submit_s,n_gpus,duration_s,deadline_s,urgency,epochs,accuracy_required,stop_option,replicas,"
          "partitions\na,0,4,10,100.5,8.5,30,0.925,optstop,2,2\nb,0,1,1,,,,,,,\n");
    const JobSpec *a = &r.workload.job[0], *b = &r.workload.job[1];
    assert_int_equal(a->deadline, 100500000);
    assert_true(a->urgency == 8.5 && a->accuracy_required == 0.925);
    assert_true(a->epochs == 30 && a->replicas == 2 && a->partitions == 2);
    assert_string_equal(a->stop_option, "optstop");
    assert_true(b->deadline == TIME_NEVER && b->urgency != b->urgency && b->accuracy_required != b->accuracy_required);
    assert_true(b->epochs == 0 && b->replicas == 0 && b->partitions == 0 && !b->stop_option);
    assert_null(r.workload.notice);
    reading_close(&r);
#define WITH(column, value) "job_id,submit_s,n_gpus,duration_s," column "\n1,0,1,1," value "\n"
    refuses("", "t.csv", WITH("accuracy_required", "1.5"), "t.csv:2:9: expected a number from 0 to 1, found '1.5'");
    refuses("", "t.csv", WITH("epochs", "0"), "expected a whole number from 1 to 1000000000, found '0'");
    refuses("", "t.csv", WITH("stop_option", "never"), "expected epochs, optstop or accuracy, found 'never'");
    refuses("", "t.csv", WITH("urgency", "-1"), "expected a number from 0 to 1e+06");
    refuses("", "t.csv", WITH("dl", "x"), "expected a length of time");
    refuses("", "t.csv", WITH("replicas", "1.5"), "expected a whole number");
}

static void units_are_exact(void **state)
{
    (void)state;
    const struct {
        const char *unit, *number;
        SimTime time;
    } cases[] = {
        {"trace.unit=s", "1.5", 1500000},   {"trace.unit=ms", "1.5", 1500},  {"trace.unit=ms", "1e3", 1000000},
        {"trace.unit=us", "7", 7},          {"trace.unit=us", "7000e-3", 7}, {"trace.unit=min", "1.5", 90000000},
        {"trace.unit=h", "0.1", 360000000}, {"trace.unit=ms", "0.001", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        Reading r;
        snprintf(text, sizeof text, "job_id,submit_time,num_gpu,duration,dl\n1,%s,1,%s,%s\n", cases[i].number,
                 cases[i].number, cases[i].number);
        reads(&r, cases[i].unit, "t.csv", text);
        assert_int_equal(r.workload.job[0].submit, cases[i].time);
        assert_int_equal(r.workload.job[0].duration, cases[i].time);
        assert_int_equal(r.workload.job[0].deadline, cases[i].time);
        reading_close(&r);
    }
    refuses("trace.unit=us", "t.csv", HEAD "1,0,1,0.5\n", "t.csv:2:7");
    refuses("trace.unit=h", "t.csv", HEAD "1,0,1,1e12\n", "t.csv:2:7");
}

static void dates_and_numbers_do_not_mix(void **state)
{
    (void)state;
    Reading r;
    refuses("", "t.csv", HEAD "1,2017-10-07 01:00:00,1,5\n2,100,1,5\n", "t.csv:3:3: expected a date");
    refuses("", "t.csv", HEAD "1,100,1,5\n2,2017-10-07 01:00:00,1,5\n", "t.csv:3:3: expected a number of seconds");
    refuses("", "t.csv", HEAD "1,2017-02-29 01:00:00,1,5\n", "t.csv:2:3");
    reads(&r, "trace.unit=h", "t.csv", HEAD "1,2017-10-07 01:00:00.25,1,2\n"); /* a unit is for numbers only */
    assert_int_equal(r.workload.job[0].submit, (SimTime)1507338000250000);
    assert_int_equal(r.workload.job[0].duration, 7200 * TIME_SECOND);
    reading_close(&r);
}

static void tiresias_columns(void **state)
{
    (void)state;
    Reading r;
    reads(&r, "", "t.csv",
          "job_id,num_gpu,submit_time,iterations,model_name,duration,interval\r\n0,1,0,606,vgg19,164,30\r\n"
          "1,8,30,133,vgg11,147,23\r\n");
    assert_job(&r, 1, "1", 30, 147, 8);
    assert_string_equal(r.workload.job[1].model, "vgg11");
    assert_int_equal(r.workload.job[1].epochs, 0);
    assert_null(r.workload.notice);
    assert_string_equal(r.workload.format, "csv");
    reading_close(&r);
}

static void status_filter(void **state)
{
    (void)state;
    Reading r;
    reads(
        &r, "trace.status=pass trace.strict=1", "t.csv",
        "job_id,submit_time,num_gpu,duration,status\n1,0,1,1,Pass\n2,0,1,1,Failed\n3,0,1,1,COMPLETED\n4,,1,1,Killed\n");
    assert_int_equal(r.workload.n, 2);
    assert_int_equal(r.workload.counts.skipped[SKIP_STATUS], 2);
    reading_close(&r);
}

static void helios_forms(void **state)
{
    (void)state;
    Reading r;
    reads(&r, "", "cluster_log.csv",
          "user,vc,jobname,gpu_num,state,submit_time,duration\nu,7f04ca,j0,8,Pass,2017-09-04 10:30:41,2240194\n");
    assert_string_equal(r.workload.format, "helios");
    assert_job(&r, 0, "j0", 1504521041, 2240194, 8);
    reading_close(&r);
    reads(&r, "", "cluster_log.csv",
          "job_id,user,vc,jobname,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n"
          "9,u,v,train,1,4,1,COMPLETED,2020-04-01 00:00:00,2020-04-01 00:00:05,2020-04-01 00:00:09,4,5\n"
          "10,u,v,train,0,4,1,COMPLETED,2020-04-01 00:00:00,2020-04-01 00:00:05,2020-04-01 00:00:09,4,5\n"
          "11,u,v,train,1,4,1,CANCELLED,2020-04-01 00:00:00,None,2020-04-01 00:00:09,0,9\n");
    assert_string_equal(r.workload.format, "helios");
    assert_int_equal(r.workload.n, 1);
    assert_int_equal(r.workload.counts.skipped[SKIP_CPU_ONLY], 1);
    assert_int_equal(r.workload.counts.skipped[SKIP_NEVER_STARTED], 1);
    assert_job(&r, 0, "9", 1585699200, 4, 1);
    assert_null(r.workload.notice);
    reading_close(&r);
}

static void formats_are_told_apart(void **state)
{
    (void)state;
    Reading r;
    Workload w;
    refuses("", "x.bin",
            "\x7f"
            "ELF\x02\x01\x01",
            "x.bin: not a trace in a known format (philly, helios, csv)");
    reading_open(&r, "");
    assert_false(trace_read("/no/such", "cvs", &r.params, &r.arena, &w, &r.err));
    assert_int_equal(r.err.kind, ERR_USAGE);
    assert_string_equal(r.err.text,
                        "unknown trace format 'cvs' (did you mean 'csv'?): expected one of philly, helios, csv");
    r.err = (Err){0};
    assert_false(trace_read("/no/such", NULL, &r.params, &r.arena, &w, &r.err));
    assert_int_equal(r.err.kind, ERR_USAGE);
    reading_close(&r);
}

static void lenient_goes_on_after_bad_syntax(void **state)
{
    (void)state;
    Reading r;
    const char *text = HEAD "1,0,1,\"5\"x\n2,0,1,5\n3,0,1,\"5\n4,0,1,5\n";
    refuses("", "t.csv", text, "t.csv:2:10: expected a comma after the closing quote");
    reads(&r, "trace.lenient=1", "t.csv", text); /* the open quote swallows the rest */
    assert_int_equal(r.workload.counts.read, 3);
    assert_int_equal(r.workload.counts.skipped[SKIP_BAD_SYNTAX], 2);
    assert_job(&r, 0, "2", 0, 5, 1);
    reading_close(&r);
}

/* ---- real files ---- */

static void real_files(void **state)
{
    (void)state;
    if (!shared_is_here()) return;
    const struct {
        const char *path, *format;
        int n;
        int64_t gpus; /* sum over jobs, by awk */
    } files[] = {
        {"golden/helios/cluster_log.csv.gz", "helios", 82247, 107235},
        {"golden/workloads/philly82k.csv.gz", "csv", 82247, 107235},
        {"golden/workloads/philly20k.csv.gz", "csv", 20000, 22466},
        {"golden/workloads/philly1k_vc.csv", "csv", 1000, 1027},
        {"golden/workloads/tiresias_60_job.csv", "csv", 60, 170},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        Reading r;
        reading_open(&r, "trace.strict=1");
        if (!trace_read(shared_path(files[i].path), NULL, &r.params, &r.arena, &r.workload, &r.err))
            fail_msg("%s", r.err.text);
        assert_int_equal(r.workload.n, files[i].n);
        assert_string_equal(r.workload.format, files[i].format);
        int64_t gpus = 0;
        for (int k = 0; k < r.workload.n; k++) gpus += r.workload.job[k].n_gpus;
        assert_int_equal(gpus, files[i].gpus);
        reading_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields),
        cmocka_unit_test(quotes),
        cmocka_unit_test(faults_have_places),
        cmocka_unit_test(records_at_the_edge_of_the_window),
        cmocka_unit_test(u03_never_started),
        cmocka_unit_test(u05_censored),
        cmocka_unit_test(u07_wrong_field_count),
        cmocka_unit_test(u09_line_ends),
        cmocka_unit_test(u15_stable_order),
        cmocka_unit_test(u15_many_shuffled),
        cmocka_unit_test(u17_times_stay_as_traced),
        cmocka_unit_test(u19_columns_by_name),
        cmocka_unit_test(u67_nothing_usable),
        cmocka_unit_test(numbers_are_whole_and_in_range),
        cmocka_unit_test(missing_values),
        cmocka_unit_test(duplicates_are_errors),
        cmocka_unit_test(texts_stay_texts),
        cmocka_unit_test(optional_columns),
        cmocka_unit_test(units_are_exact),
        cmocka_unit_test(dates_and_numbers_do_not_mix),
        cmocka_unit_test(tiresias_columns),
        cmocka_unit_test(status_filter),
        cmocka_unit_test(helios_forms),
        cmocka_unit_test(formats_are_told_apart),
        cmocka_unit_test(lenient_goes_on_after_bad_syntax),
        cmocka_unit_test(real_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
