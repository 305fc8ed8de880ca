#!/bin/sh
# tests/sh/generate.sh -- generate, describe and convert from the command line; the bundled sample.
. "$(dirname "$0")/../tap.sh"

status() { "$@" >/dev/null 2>&1; echo $?; }
without() { # COLUMN <CSV: that column taken out
    awk -F, -v OFS=, -v name="$1" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) out = i }
        { line = ""; for (i = 1; i <= NF; i++) if (i != out) line = line (line == "" ? "" : ",") $i; print line }'
}
hash_of() { "$MLFS" describe -q "$@" | sed -n 's/^jobs .*hash //p'; }

# ---- the bundled sample
mkdir -p traces/samples && ln -s "$MLFS" mlfs-sim
command=$(sed -n 's/^\.\/mlfs-sim generate/&/p' "$ROOT/traces/samples/README.md")
is "the sample's README has one command" 1 "$(echo "$command" | wc -l)"
ok "it runs" sh -c "$command"
sample=traces/samples/philly-2k.csv
ok "it makes the sample again, byte for byte" cmp "$sample" "$ROOT/$sample"
grep -v '"version"' "$sample.manifest.json" >fresh
grep -v '"version"' "$ROOT/$sample.manifest.json" >bundled
ok "and its manifest, but for the version of the program" cmp fresh bundled

# ---- generate
"$MLFS" generate --jobs 3000 -s 9 >stdout.csv
"$MLFS" generate --jobs 3000 -s 9 -o file.csv
ok "a file holds what standard output shows" cmp stdout.csv file.csv
is "one row a job and a header" 3001 "$(wc -l <file.csv)"
"$MLFS" generate --jobs 3000 -s 10 >other.csv
is "another seed, other jobs" 1 "$(status cmp stdout.csv other.csv)"
"$MLFS" generate --jobs 3000 -s 9 --as philly -o log.json.gz
"$MLFS" convert -q log.json.gz | without user | without start_s >from_log.csv
"$MLFS" convert -q file.csv >from_csv.csv
ok "the job log holds the same jobs as the CSV, and their starts" cmp from_log.csv from_csv.csv
ok "and convert leaves the native CSV as it is" cmp from_csv.csv file.csv
is "theory: the header" "job_id,submit_s,n_gpus,duration_s" \
    "$("$MLFS" generate --arrivals poisson:0.5 --sizes exp:1.5 --jobs 4 | head -1)"
is "theory: regular arrivals of equal jobs" "3,8,4,2.5" \
    "$("$MLFS" generate --arrivals det:0.25 --sizes det:2.5 --gpus 4 --jobs 3 | tail -1)"
is "a law that does not exist" 2 "$(status "$MLFS" generate --sizes gamma:1)"
is "a number that is none" 2 "$(status "$MLFS" generate --arrivals poisson:fast)"
is "the log's schema has no fractions of a second" 2 "$(status "$MLFS" generate --as philly --sizes exp:9)"
is "a key that does not exist" 2 "$(status "$MLFS" generate --set trace.lenientt=1)"
is "no jobs" 2 "$(status "$MLFS" generate --jobs 0)"
is "a full disk" 1 "$(status "$MLFS" generate -o /dev/full)"
is "a folder that is not there" 1 "$(status "$MLFS" generate -o absent/a.csv)"

# ---- convert: U77
"$MLFS" convert -q log.json.gz --jobs 100:900 -o first.csv
"$MLFS" convert -q log.json.gz --jobs 100:900 -o second.csv
"$MLFS" convert -q log.json.gz --jobs 100:800 -o third.csv
ok "u77: the same options, the same bytes" cmp first.csv second.csv
ok "u77: and the same manifest" cmp first.csv.manifest.json second.csv.manifest.json
is "u77: the source's sha256" "$(sha256sum log.json.gz | cut -d' ' -f1)" \
    "$(sed -n 's/.*"sha256":[^"]*"\([0-9a-f]*\)".*/\1/p' first.csv.manifest.json)"
is "u77: the changed filter shows with its count" \
    "3000 900:800 3000 800:700" \
    "$(for m in first third; do
        tr -d '\t\n' <$m.csv.manifest.json | sed '$s/$/\n/' |
            sed -n 's/.*"name":"jobs","value":"[0-9]*:\([0-9]*\)","jobs_before":\([0-9]*\),"jobs_after":\([0-9]*\).*/\2 \1:\3/p'
    done | paste -sd' ' -)"
set -- --window 1507000000:1507600000 --jobs 10: --sample 500 --load 1.5 --arrival-scale 0.5 -s 3
"$MLFS" convert -q file.csv "$@" -o chosen.csv
is "options one after the other or at once: the same jobs" "$(hash_of file.csv "$@")" "$(hash_of chosen.csv)"

# ---- describe
"$MLFS" describe -q "$ROOT/$sample" >page
ok "describe: records" grep -q '^records  *2000 read, 2000 usable$' page
for section in arrivals "per day" "offered load" GPUs "run time" status VC; do
    ok "describe: $section" grep -q "^$section" page
done
"$MLFS" describe -q log.json.gz >page
ok "describe: a log has dates" grep -q '^arrivals  *2017-10-0' page
printf 'job_id,submit_s,n_gpus,duration_s\na,0,1,5\nb,1,0,5\nc,2,0,5\n' >cpu.csv
"$MLFS" describe -q cpu.csv >page
ok "describe: skipped records by reason" grep -q '^records  *3 read, 1 usable, 2 skipped: cpu_only$' page
finish
