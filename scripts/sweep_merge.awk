# scripts/sweep_merge.awk -- what has become of each run of a sweep: DIR/sweep.csv, and those that failed under what they said.
#
# usage: SWEEP_OUT=DIR awk -f sweep_finished.awk -f sweep_merge.awk DIR/.sweep/runs
# Exit status 1 when something failed or is not finished.

function quote(text)
{
    if (text !~ /[",\n\r]/) return text
    gsub(/"/, "\"\"", text)
    return "\"" text "\""
}

# Numbers of summary.json by their path, such as jct_s.mean: cJSON writes a key a line, a tab for each level.
function read_summary(file, value,    line, group, key)
{
    split("", value)
    while ((getline line <file) > 0) {
        if (line ~ /^\t"[^"]*":\t\{/) {
            group = line
            gsub(/^\t"|":.*$/, "", group)
        } else if (line ~ /^\t\t?"[^"]*":\t[^{\[]/) {
            key = line
            gsub(/^\t*"|":.*$/, "", key)
            if (line ~ /^\t\t/) key = group "." key
            sub(/^[^:]*:\t/, "", line)
            sub(/,$/, "", line)
            value[key] = line == "null" ? "" : line
        }
    }
    close(file)
}

BEGIN {
    FS = "\t"
    out = ENVIRON["SWEEP_OUT"]
    csv = out "/.sweep/sweep.csv"
    n_metrics = split("jct_s.n jct_s.mean jct_s.p50 jct_s.p99 jct_below_100min wait_s.mean makespan_s deadline_met accuracy_mean accuracy_met bandwidth_bytes gpu_allocation gpu_utilisation overloads preemptions migrations refusals", metric, " ")
    n_done = n_failed = n_open = 0
}

NR == 1 {
    text = "folder,policy,seed"
    for (i = 5; i <= NF; i++) text = text "," quote($i)
    text = text ",state,message"
    for (i = 1; i <= n_metrics; i++) text = text "," metric[i]
    print text >csv
    next
}

{
    folder = $1 "/" $2 "/seed-" $3
    message = ""
    file = out "/.sweep/failed/" folder
    if (is_finished(out "/" folder)) {
        read_summary(out "/" folder "/summary.json", value)
        state = "done"
        n_done++
    } else if ((getline message <file) > 0) {
        state = "failed"
        sub(/^mlfs-sim: /, "", message)
        if (!(message in who)) told[++n_messages] = message
        who[message] = who[message] "  " folder "\n"
        n_failed++
    } else {
        state = "not finished"
        n_open++
    }
    close(file)
    text = quote(folder) "," quote($4) "," $3
    for (i = 5; i <= NF; i++) text = text "," quote($i)
    text = text "," state "," quote(message)
    for (i = 1; i <= n_metrics; i++) text = text "," (state == "done" ? value[metric[i]] : "")
    print text >csv
}

END {
    close(csv)
    for (i = 1; i <= n_messages; i++) printf "failed: %s\n%s", told[i], who[told[i]] >"/dev/stderr"
    printf "%d runs: %d finished, %d failed, %d not finished\n", n_done + n_failed + n_open, n_done, n_failed, n_open
    exit n_failed + n_open > 0
}
