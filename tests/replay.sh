# shellcheck shell=sh
# tests/replay.sh -- words for tests that replay a small trace: source it after tests/tap.sh.

# replay NAME POLICIES CLUSTER ROWS [OPTION...]: writes NAME.csv, replays it strictly, checks the identities that every
# run must meet.  Rows are "a,0,1,10 / b,2,1,10"; the columns are $columns.  Results are in NAME/POLICY/, what the
# program said in NAME.out and NAME.err.
id= # the case of users.md that the next checks belong to
columns=job_id,submit_time,num_gpu,duration
replay()
{
    replay_name=$1
    replay_policies=$2
    replay_cluster=$3
    { echo "$columns" && echo "$4" | sed 's| */ *|\n|g'; } >"$replay_name.csv"
    shift 4
    again "$replay_name" "$replay_policies" "$replay_cluster" "$@"
}

# again NAME POLICIES CLUSTER [OPTION...]: the same for a trace NAME.csv that is there.
again()
{
    again_name=$1
    again_policies=$2
    again_cluster=$3
    shift 3
    "$MLFS" run "$again_name.csv" -c "$again_cluster" -p "$again_policies" -o "$again_name" --strict "$@" \
        >"$again_name.out" 2>"$again_name.err" </dev/null || {
        echo "status $?"
        cat "$again_name.err"
        return 1
    }
    for again_run in "$again_name"/*/; do
        identities "${again_run%/}" || return 1
    done
}

# summary NAME/POLICY .path: a value of summary.json.
summary() { jq -c "$2" "$1/summary.json"; }

# cell NAME/POLICY JOB COLUMN...: fields of a job's row in jobs.csv, with blanks between.
cell()
{
    cell_file=$1/jobs.csv
    cell_job=$2
    shift 2
    awk -F, -v job="$cell_job" -v names="$*" '
        NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; n = split(names, name, " "); next }
        $column["job_id"] == job {
            for (i = 1; i <= n; i++) printf "%s%s", (name[i] in column) ? $column[name[i]] : "NO COLUMN " name[i], i < n ? " " : "\n"
        }' "$cell_file"
}

# identities NAME/POLICY: what holds for every run, whatever the policy (exact: times are added as microseconds).
identities()
{
    figures=$(jq -r '[.jobs.submitted, .jobs.completed, .jobs.running, .jobs.queued, .jobs.unschedulable, .jobs.not_arrived,
        .span_s, .gpu_seconds.useful] | @tsv' "$1/summary.json")
    awk -F, -v figures="$figures" '
        function microseconds(text) { return text == "" ? 0 : int(text * 1e6 + 0.5) }
        function pass_time_to(now)
        {
            waiting += jobs_waiting * (now - before); running += jobs_running * (now - before); busy += gpus * (now - before)
            before = now
        }
        function claim(holds, what) { if (!holds) { print what; bad = 1 } }
        FNR == 1 { delete column; for (i = 1; i <= NF; i++) column[$i] = i; file++; next }
        file == 1 { # jobs.csv
            submit = microseconds($column["submit_s"]); start = $column["start_s"]; end = $column["end_s"]
            wait = microseconds($column["wait_s"]); service = microseconds($column["service_s"]); state = $column["state"]
            n[state]++
            rows++
            if (rows == 1) first = submit
            if (start != "") claim(submit <= microseconds(start), "a job starts before it is submitted: " $0)
            if (end != "") claim(microseconds(start) <= microseconds(end), "a job ends before it starts: " $0)
            if (state == "completed") {
                claim(microseconds($column["jct_s"]) == microseconds(end) - submit, "jct is not end - submit: " $0)
                claim(wait + service == microseconds(end) - submit, "wait + service is not the time in the system: " $0)
            }
            if (state == "unschedulable" || state == "not_arrived") next
            waited += wait; served += service; held += service * $column["n_gpus"]
        }
        file == 2 { # timeline.csv: what holds from this instant to the next
            now = microseconds($column["time_s"])
            claim(now >= before, "the clock goes back: " $0)
            claim($column["gpus_busy"] <= $column["gpus_total"], "more GPUs busy than there are: " $0)
            pass_time_to(now)
            jobs_waiting = $column["jobs_waiting"]; jobs_running = $column["jobs_running"]; gpus = $column["gpus_busy"]
        }
        END {
            split(figures, count, "\t")
            if (first + microseconds(count[7]) > before) pass_time_to(first + microseconds(count[7])) # cut at a horizon
            claim(rows == count[1], "submitted " count[1] " but " rows " rows in jobs.csv")
            claim(count[1] == count[2] + count[3] + count[4] + count[5] + count[6], "the states do not add up to submitted")
            claim(n["completed"] + 0 == count[2] && n["running"] + 0 == count[3] && n["queued"] + 0 == count[4] &&
                  n["unschedulable"] + 0 == count[5] && n["not_arrived"] + 0 == count[6], "summary and jobs.csv count states differently")
            claim(waited == waiting, "sum of waits " waited " but integral of waiting jobs " waiting)
            claim(served == running, "sum of service " served " but integral of running jobs " running)
            claim(held == busy, "sum of GPUs x service " held " but integral of busy GPUs " busy)
            claim(held == microseconds(count[8]), "sum of GPUs x service " held " but gpu_seconds.useful " count[8])
            exit bad
        }' "$1/jobs.csv" "$1/timeline.csv"
}

# summary_is NAME/POLICY .path WANTED...: several values, each compared.
summary_is()
{
    summary_run=$1
    shift
    while [ $# -gt 0 ]; do
        is "$id $summary_run $1" "$2" "$(summary "$summary_run" "$1")"
        shift 2
    done
}

# cells_are NAME/POLICY "COLUMN..." JOB "VALUES" [JOB "VALUES"...]
cells_are()
{
    cells_run=$1
    cells_columns=$2
    shift 2
    while [ $# -gt 0 ]; do
        # shellcheck disable=SC2086 # a list of columns
        is "$id $cells_run job $1: $cells_columns" "$2" "$(cell "$cells_run" "$1" $cells_columns)"
        shift 2
    done
}
