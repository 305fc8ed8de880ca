#!/bin/sh
# tests/sh/report.sh -- the report page: one file, nothing from elsewhere, hostile names are text; and in a browser, if one is here.
# shellcheck disable=SC2016 # eval expands them
set -eu
. "$(dirname "$0")/../tap.sh"

longest=$(head -c 10000 /dev/zero | tr '\0' 'x')
{
    echo 'job_id,submit_s,n_gpus,duration_s,user,vc'
    echo '"</script><script>window.evil=1</script>",0,1,50,"<b class=evil>""x""</b>","a,b"'
    echo '"line'
    echo 'end",1,2,60,_^@{},<img src=x onerror=window.evil=1>'
    echo "$longest,2,1,70,&amp;,<!--"
    awk 'BEGIN { for (i = 0; i < 120; i++) printf "job-%d,%d,%d,%d,ann,research\n", i, i * 3, 1 + i % 4, 10 + i * 37 % 101 }'
} >trace.csv
mkdir '<' # the trace's path and the command line end an element, too
cp trace.csv '</script><script>window.evil=1;.csv'
ok "runs are there" "$MLFS" run '</script><script>window.evil=1;.csv' -c 2x4 -p fifo,srtf,tiresias -o runs -q
ok "a page is written" "$MLFS" report runs -o pages/page.html
ok "again, the same bytes" eval '"$MLFS" report runs -o pages/again.html && cmp pages/page.html pages/again.html'

# What a browser would load: none of it has an address of its own.
absolute() { grep -nEo "(src|href|url|@import|fetch)[=(: ]*[\"']?(https?:)?//[^ ]*" pages/page.html; }
ok "nothing is loaded or linked by an absolute address" eval '! absolute'
is "scripts and data are three elements and the page's own" 3 "$(grep -c '</script>' pages/page.html)"
ok "the licence of uPlot is in it" grep -q 'Copyright (c) .* Leon Sorokin' pages/page.html
json() { awk '/<script type="application\/json"/ { on = 1; sub(/.*id="data">/, "") } on { if (sub(/<\/script>.*/, "")) { print; exit } print }' pages/page.html; }
json >data.json
is "the data is JSON with all names whole" "</script><script>window.evil=1</script> 10000" \
    "$(jq -r '.policies[0].jobs.job_id | "\(.[0]) \(map(length) | max)"' data.json)"
is "a policy for each run" 'fifo srtf tiresias' "$(jq -r '[.policies[].policy] | join(" ")' data.json)"
is "curves end at 1" 1 "$(jq '[.policies[].cdf_y[-1]] | unique[]' data.json)"
is "jobs.csv is linked from the page's folder" ../runs/srtf/jobs.csv "$(jq -r '.policies[1].csv' data.json)"
is "what a job is stands there once" 'true false' "$(jq -r '.policies | "\(.[0].jobs | has("job_id")) \(.[1].jobs | has("job_id"))"' data.json)"
ok "no folder is an error" eval '! "$MLFS" report nowhere -o x.html 2>said && grep -q "nowhere" said && [ ! -e x.html ]'
ok "no --out is an error" eval '! "$MLFS" report runs 2>said && grep -q "expected --out" said'

browser=$(command -v chromium || command -v chromium-browser || true)
if [ -z "$browser" ]; then
    skip "the page in a browser" "chromium is not here"
    finish
fi
probe() # WIDTH NAME: the page with the probe behind it, opened from the disk
{
    { sed '/^<\/body>$/,$d' pages/page.html; echo '<script>'; cat "$ROOT/tests/page_probe.js"; echo '</script></body></html>'; } >pages/probe.html
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$WORK/profile" --enable-logging=stderr \
        --window-size="$1",1400 --virtual-time-budget=5000 --dump-dom "file://$WORK/pages/probe.html" >dom.html 2>log.txt || true
    sed -n '/<pre id="probe">/,/<\/pre>/ { s/.*<pre id="probe">//; s/<\/pre>.*//; p; }' dom.html >probe.txt
    ok "$2: the probe came to its end" grep -q 'nothing is loaded from elsewhere' probe.txt
    while read -r line; do
        case $line in
        'ok '*) ok "$2: ${line#ok }" true ;;
        'NOT OK '*) ok "$2: ${line#NOT OK }" false ;;
        esac
    done <probe.txt
    is "$2: the job with markup in its name was found" 'markup jobs 1' "$(grep '^markup' probe.txt)"
    ok "$2: no error on the console" eval '! grep -E "CONSOLE.*(rror|Refused|Violation)" log.txt'
}
probe 1280 desktop
probe 500 phone
finish
