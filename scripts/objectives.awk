# scripts/objectives.awk -- the five objectives of eq. 7 and the reward, from jobs.csv files of the same jobs.
#
# usage: awk -v from=ROW -f scripts/objectives.awk MLF_H/jobs.csv OTHER/jobs.csv...
# A line a file: its name, jobs, g1 .. g5 and the reward, each a mean over the jobs from row ROW (counted from 0) on; then its
# reward less the first file's, the mean over the jobs that ended in both, and half of that mean's 95 % interval (1.96 standard
# errors of the paired differences).  JCT_ref and B_ref are the first file's.  The sum of rewards over ticks is this times jobs, divided by what ends in a tick under
# MLF-H, which is the same for all; a mean over the ticks until the last end would be about the one job that ends last.
# bytes_moved has migrations in it (a thousandth of it).
BEGIN {
    FS = ","
    if (!tick) tick = 60
    split("0.5 0.55 0.25 0.15 0.15", beta, " ")
}

function share(t, spare)
{
    spare = bytes[t] > 0 ? bytes_ref * ended[t] / bytes[t] : 2
    return spare < 2 ? spare : 2
}

function total(file, t, g1, g2, g3, g4, g5, row, d, sum, squares, pairs)
{
    for (t in ended) {
        g1 += jct[t]; g2 += deadline[t]; g4 += accurate[t]; g5 += accuracy[t]; g3 += share(t) * ended[t]
    }
    for (row in at) {
        d = own[row] + beta[3] * share(at[row])
        if (!files) first[row] = d
        if (!(row in first)) continue
        d -= first[row]; sum += d; squares += d * d; pairs++
    }
    files++
    squares = pairs > 1 ? (squares - sum * sum / pairs) / (pairs - 1) : 0
    printf "%s %d %.5f %.5f %.5f %.5f %.5f %.5f %.5f %.5f\n", file, n, g1 / n, g2 / n, g3 / n, g4 / n, g5 / n,
        (beta[1] * g1 + beta[2] * g2 + beta[3] * g3 + beta[4] * g4 + beta[5] * g5) / n,
        pairs ? sum / pairs : 0, pairs ? 1.96 * sqrt((squares > 0 ? squares : 0) / pairs) : 0
}

function forget()
{
    n = 0
    split("", ended); split("", jct); split("", deadline); split("", bytes); split("", accurate); split("", accuracy)
    split("", at); split("", own)
}

# The first file is read once more for the references.
BEGIN {
    while ((getline line < ARGV[1]) > 0) {
        k = split(line, f, ",")
        if (!seen++) { for (i = 1; i <= k; i++) column[f[i]] = i; continue }
        if (seen == 2) origin = f[column["submit_s"]]
        if (seen - 2 < from || f[column["end_s"]] == "") continue
        refs++; jct_ref += f[column["jct_s"]]; bytes_ref += f[column["bytes_moved"]]
    }
    close(ARGV[1])
    jct_ref /= refs; bytes_ref /= refs
}

FNR == 1 {
    if (name) total(name)
    forget()
    name = FILENAME
    for (i = 1; i <= NF; i++) column[$i] = i
    next
}
FNR - 2 < from || $(column["end_s"]) == "" { next }
{
    t = int(($(column["end_s"]) - origin + tick - 1e-6) / tick)
    speed = $(column["jct_s"]) > 0 ? jct_ref / $(column["jct_s"]) : 2
    if (speed > 2) speed = 2
    n++; ended[t]++; at[FNR] = t
    jct[t] += speed; deadline[t] += $(column["deadline_met"]); bytes[t] += $(column["bytes_moved"])
    accurate[t] += $(column["accuracy_met"]); accuracy[t] += $(column["accuracy_at_deadline"])
    own[FNR] = beta[1] * speed + beta[2] * $(column["deadline_met"]) + beta[4] * $(column["accuracy_met"]) + beta[5] * $(column["accuracy_at_deadline"])
}
END { if (name) total(name) }
