#!/bin/sh
# tests/sh/users_usability.sh -- what users of simulators ran into: choosing and adding policies, building.
set -eu
. "$(dirname "$0")/../tap.sh"
. "$ROOT/tests/replay.sh"

id=u63_unknown_policy
echo "$columns
a,0,1,10" >one.csv
status=0
"$MLFS" run one.csv -c 1x1 -p tiresais -o u63 >out 2>err || status=$?
is "$id exit status" 2 "$status"
ok "$id hint" grep -q 'did you mean .*tiresias' err
for name in $("$MLFS" list policies | awk '/^[^ ]/ { print $1 }'); do
    ok "$id the sentence lists $name" grep -qw -e "$name" err
done

# The guide's example, as written there: one new file and one line in the list, or a shared object.
id=u63_write_your_own_policy
block() # LANGUAGE N: the Nth fenced block of that language in the guide
{
    awk -v language="$1" -v wanted="$2" '
        /^```/ { inside = !inside && $0 == "```" language && ++n == wanted; if ($0 != "```") next }
        inside' "$ROOT/docs/policies.md"
}
mkdir copy
(cd "$ROOT" && tar cf - --exclude=.git --exclude=./results/runs --exclude=./build/test-logs --exclude=./build/debug-gcc \
    --exclude=./build/release-clang --exclude=./build/asan-clang .) | tar xf - -C copy
block c 1 >copy/policies/largest_first.c
# The second step of the guide adds the line to the list; what it runs is in the block.
built_in() { (cd copy && sh -eu ../step && ./mlfs-sim list policies >../after); }
block sh 1 >step
ok "$id builds unmodified" built_in
ok "$id is in the list" grep -q '^largest-first' after
"$MLFS" generate --jobs 400 -o t.csv -q
ours=$MLFS
MLFS=$WORK/copy/mlfs-sim
ok "$id runs" again t largest-first 4x8
ok "$id starts the widest first" replay wide largest-first 1x4 'a,0,1,10 / b,0,4,10 / c,0,2,10'
cells_are wide/largest-first start_s a 10 b 0 c 10
MLFS=$ours
as_plugin() { (cd copy && sh -eu ../step); }
block sh 2 >step
ok "$id builds as a shared object" as_plugin
ok "$id the shared object runs" "$MLFS" run t.csv -c 4x8 -p copy/my_policy.so -o t -q
ok "$id the shared object decides the same" cmp t/largest-first/jobs.csv t/my-largest-first/jobs.csv

id=u79_missing_package_has_a_name
missing()
{
    ! PKG_CONFIG_LIBDIR=$WORK make -C "$ROOT" BUILD="$WORK/build" >said 2>&1 || return 1
    cat said
    grep -q 'libgsl-dev.*apt-get install .*libgsl-dev' said && [ "$(grep -vc '^make' said)" -le 1 ]
}
ok "$id" missing
finish
