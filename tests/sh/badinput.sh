#!/bin/sh
# tests/sh/badinput.sh -- bad files and bad disks: the right exit status, one sentence, nothing that looks finished.
set -eu
. "$(dirname "$0")/../tap.sh"

# fails STATUS PATTERN COMMAND...: that exit status, exactly one line on stderr, which matches, nothing on stdout, and
# neither a summary nor a temporary file below the current folder.
fails()
{
    want=$1
    pattern=$2
    shift 2
    status=0
    "$@" >out 2>err </dev/null || status=$?
    if [ "$status" -ne "$want" ]; then echo "exit status $status, not $want"; cat err; return 1; fi
    if [ "$(wc -l <err)" -ne 1 ] || ! grep -q "$pattern" err; then echo "not one line about '$pattern':"; cat err; return 1; fi
    if [ -s out ]; then echo "stdout:"; cat out; return 1; fi
    unfinished
}

unfinished()
{
    left=$(find . -name summary.json -o -name '*.tmp*')
    [ -z "$left" ] || { echo "left behind: $left"; return 1; }
}

rows=$(awk 'BEGIN { for (i = 0; i < 1500; i++) printf "j%d,%d,%d,%d\n", i, i * 7 % 10000, 1 + i % 3, i * 31 % 977 }')
{ echo job_id,submit_s,n_gpus,duration_s && echo "$rows"; } >sound.csv

# ---- u11: compressed input that ends early ----
gzip -nc sound.csv >sound.gz
size=$(stat -c %s sound.gz)
cut_everywhere() # FILE STEP: every length up to 40 and of the last 40 bytes, every STEPth between
{
    length=1
    while [ "$length" -lt "$size" ]; do
        head -c "$length" "$1" >cut.gz
        fails 3 'cut.gz: unexpected end of compressed data' "$MLFS" run cut.gz -c 4x4 -o results || { echo "at length $length"; return 1; }
        if [ "$length" -lt 40 ] || [ "$length" -gt $((size - 40)) ]; then length=$((length + 1)); else length=$((length + $2)); fi
    done
}
ok "u11_truncated_gzip" cut_everywhere sound.gz 97
cp sound.gz broken.gz
printf XXXXXXXX | dd of=broken.gz bs=1 seek=$((size / 2)) conv=notrunc 2>/dev/null
ok "u11_corrupt_gzip" fails 3 'broken.gz: ' "$MLFS" run broken.gz -c 4x4 -o results
{ cat sound.gz && echo rubbish; } >trailing.gz
ok "u11_rubbish_after_gzip" fails 3 'trailing.gz: ' "$MLFS" run trailing.gz -c 4x4 -o results
head -c 500 sound.gz >cut.gz
ok "u11_truncated_gzip convert" fails 3 'cut.gz: unexpected end' "$MLFS" convert cut.gz -o c.csv
ok "u11_truncated_gzip convert leaves nothing" [ ! -e c.csv ]
ok "u11_truncated_gzip describe" fails 3 'cut.gz: unexpected end' "$MLFS" describe cut.gz

# ---- files that are not there, empty, or not what they should be ----
: >empty.csv
mkdir folder
printf '\000\001\002\003' >binary
ok "absent file" fails 2 'nowhere.csv' "$MLFS" run nowhere.csv -c 4x4 -o results
ok "a folder as a trace" fails 2 'folder' "$MLFS" run folder -c 4x4 -o results
ok "empty file" fails 3 'empty.csv' "$MLFS" run empty.csv -c 4x4 -o results
ok "binary file" fails 3 'binary' "$MLFS" run binary -c 4x4 -o results
ok "absent file describe" fails 2 'nowhere.csv' "$MLFS" describe nowhere.csv
ok "absent file convert" fails 2 'nowhere.csv' "$MLFS" convert nowhere.csv -o c.csv

# bad NAME LINE COLUMN ROWS: the row at that line is wrong, and the sentence says where.
bad()
{
    name=$1
    place=$2
    { echo job_id,submit_s,n_gpus,duration_s && printf '%s\n' "$3"; } >bad.csv
    ok "$name" fails 3 "bad.csv:$place" "$MLFS" run bad.csv -c 4x4 -o results
}
bad "u07 too many fields" '3: expected 4 fields, found 5' 'a,0,1,10
b,5,1,10,1'
bad "u07 too few fields" '2: expected 4 fields, found 3' 'a,0,1'
bad "no number" '2:5: ' 'a,0,x,10'
bad "a number with a tail" '2:7: ' 'a,0,1,10s'
bad "negative duration" '2:7: ' 'a,0,1,-10'
bad "not a number" '2:3: ' 'a,nan,1,10'
bad "infinite" '2:7: ' 'a,0,1,inf'
bad "too large" '2:7: ' 'a,0,1,1e300'
bad "finer than a microsecond" '2:7: ' 'a,0,1,0.0000001'
bad "half a GPU" '2:5: ' 'a,0,0.5,10'
bad "duplicate id" '3:' 'a,0,1,10
a,5,1,10'
printf 'job_id,submit_s,n_gpus\na,0,1\n' >missing.csv
ok "u19 missing column" fails 3 'missing column: duration' "$MLFS" run missing.csv -c 4x4 -o results
printf '[{"status":"Pass","jobid":"j"' >cut.json
ok "JSON that ends early" fails 3 'cut.json' "$MLFS" run cut.json -c 4x4 -o results

# ---- names that would be paths, commands or markup somewhere else ----
mkdir -p hostile/in
(
    cd hostile/in || exit
    cat >names.csv <<'CSV'
job_id,submit_s,n_gpus,duration_s,user,vc,model,status
../../escaped,0,1,10,`touch ../escaped1`,"$(touch ../escaped2)",alexnet,Pass
"'; touch ../escaped3; '",5,2,50,"a""; system(""touch ../escaped4""); #",/etc/passwd,"""`touch ../escaped5`",Pass
/escaped6,9,1,20,..,../x,|touch ../escaped7,"'!touch ../escaped8'"
"<script>",12,1,20,%s%n%n,"!touch ../escaped9",-o,"x
y"
CSV
)
harmless() # all that writes, and nothing lands outside of hostile/in
{
    (
        cd hostile/in || exit
        "$MLFS" run names.csv -c 2x2 -p fifo,srtf -o out -q --events events.csv --timeline timeline.json
        "$MLFS" run names.csv -c 2x2 -p fifo -o story -q --explain ../../escaped
        "$MLFS" run names.csv -c 2x2 --preset philly -p mlf-h -o inside -q
        mv out/srtf 'out/srtf`touch ..'
        "$MLFS" compare out/fifo 'out/srtf`touch ..'
        "$MLFS" plot out -o figures -q
        "$MLFS" report out -o page.html -q
        "$MLFS" convert names.csv -o copy.csv -q
    ) >said 2>&1 || { cat said; return 1; }
    [ "$(ls -A hostile)" = in ] && ! ls ./*escaped* /escaped* 2>/dev/null
}
ok "names from a trace are data only" harmless
rm -rf hostile results

# ---- command lines that cannot be carried out ----
ok "unknown option" fails 2 'polcy' "$MLFS" run sound.csv -c 4x4 --polcy fifo
ok "unknown policy" fails 2 'did you mean .*fifo' "$MLFS" run sound.csv -c 4x4 -p fifi
ok "unknown key" fails 2 'run.tick' "$MLFS" run sound.csv -c 4x4 --set run.tik=3
ok "no cluster" fails 2 'cluster' "$MLFS" run sound.csv
ok "bad cluster" fails 2 '4by4' "$MLFS" run sound.csv -c 4by4
ok "unknown preset" fails 2 'plain' "$MLFS" run sound.csv -c 4x4 --preset plian
ok "unknown command" fails 2 'run' "$MLFS" rum sound.csv

# ---- places that cannot be written ----
ok "output below a file" fails 1 'sound.csv' "$MLFS" run sound.csv -c 4x4 -o sound.csv/results -q
ok "events into a full device" fails 1 '/dev/full' "$MLFS" run sound.csv -c 4x4 -o results --events /dev/full -q
rm -rf results
ok "convert into a full device" fails 1 '/dev/full' "$MLFS" convert sound.csv -o /dev/full -q
ok "generate into a full device" fails 1 '/dev/full' "$MLFS" generate --jobs 1000 -o /dev/full -q
table_lost() # the table cannot be written: that is an error, but the files are whole and stay
{
    status=0
    "$MLFS" run sound.csv -c 4x4 -o lost -q >/dev/full 2>err </dev/null || status=$?
    cat err
    [ "$status" -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] && jq -e .jobs lost/fifo/summary.json
}
ok "table into a full device" table_lost
rm -rf lost

mkdir disk
if mount -t tmpfs -o size=64k tmpfs disk 2>/dev/null; then
    full_disk() # COMMAND...: fails with one sentence on a disk of 64 KiB and leaves nothing that looks finished
    {
        fails 1 'disk' "$@" && [ -z "$(find disk -name '*.csv' -size +0)" ]
    }
    ok "full disk run" full_disk "$MLFS" run sound.csv -c 4x4 -o disk/results -q
    rm -rf disk/results
    ok "full disk generate" full_disk "$MLFS" generate --jobs 5000 -o disk/trace.csv -q
    for copy in a b c d e f; do echo "$rows" | sed "s/^/$copy/"; done | sed '1i job_id,submit_s,n_gpus,duration_s' >large.csv
    ok "full disk convert" full_disk "$MLFS" convert large.csv -o disk/copy.csv -q
    mount -o remount,ro disk
    ok "read-only disk run" fails 1 'disk' "$MLFS" run sound.csv -c 4x4 -o disk/results -q
    umount disk
else
    skip "full disk and read-only disk" "a small file system cannot be mounted here"
fi

# ---- what fuzzing found in files other than traces: docs/validation.md ----
printf '{"cluster": "4x4", "out": "a\000b"}' >nul.json
ok "fuzz_nul_in_config" fails 2 'nul.json:1:2[0-9]: this is not JSON' "$MLFS" run sound.csv --config nul.json
awk 'BEGIN { printf "{\"policy\":[1"; for (i = 0; i < 1000000; i++) printf ",1"; print "]}" }' >list.json
ok "fuzz_long_list_in_config" fails 2 "policy" timeout 10 "$MLFS" run sound.csv -c 4x4 -o results --config list.json
awk 'BEGIN { printf "{\"parameters\":{\"a\":1"; for (i = 0; i < 300000; i++) printf ",\"a%d\":1", i; print "}}" }' >keys.json
ok "fuzz_many_keys_in_config" fails 2 "unknown" timeout 10 "$MLFS" run sound.csv -c 4x4 -o results --config keys.json
"$MLFS" run sound.csv -c 4x4 -o edited -q >/dev/null
awk -F, -v OFS=, 'NR == 5 { $1 = "" } { print }' edited/fifo/timeline.csv >t && mv t edited/fifo/timeline.csv
timeline()
{
    status=0
    "$MLFS" report edited -o page.html 2>said || status=$?
    cat said
    [ "$status" -eq 3 ] && grep -q 'timeline.csv: expected in time_s of row 4 a time' said && [ ! -e page.html ]
}
ok "fuzz_timeline_without_a_time" timeline
finish
