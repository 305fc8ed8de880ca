#!/bin/sh
# tests/golden.sh -- real commands whose output is compared byte by byte.
#
# usage: sh tests/golden.sh [NAME...]            compare (all without a name); prints TAP
#        sh tests/golden.sh --accept NAME...     take what the command says now as what is right
#
# tests/golden/NAME.sh runs in a fresh folder with MLFS (the program) and ROOT (the repository) in its environment;
# NAME.out, NAME.err and NAME.exit hold what it must print and its exit status (absent: nothing, 0).
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
golden=$root/tests/golden
accept=no
if [ "${1-}" = --accept ]; then
    accept=yes
    shift
    [ $# -gt 0 ] || { echo "golden.sh: --accept needs the names of the cases to accept" >&2; exit 2; }
fi
if [ $# -eq 0 ]; then
    cd "$golden"
    set -- *.sh
    [ -e "$1" ] || { echo "golden.sh: no case in $golden" >&2; exit 1; }
fi

ROOT=$root
MLFS=${MLFS:-$root/mlfs-sim}
export ROOT MLFS
work=$(mktemp -d "${TMPDIR:-/tmp}/mlfs-golden.XXXXXX")
trap 'rm -rf "$work"' EXIT
count=0
failed=0
for name; do
    name=$(basename "$name" .sh)
    [ -e "$golden/$name.sh" ] || { echo "golden.sh: there is no case $name" >&2; exit 2; }
    mkdir "$work/cwd"
    status=0
    (cd "$work/cwd" && sh "$golden/$name.sh" >"$work/out" 2>"$work/err" </dev/null) || status=$?
    rm -rf "$work/cwd"
    if [ "$status" -eq 0 ]; then : >"$work/exit"; else echo "$status" >"$work/exit"; fi
    count=$((count + 1))
    : >"$work/diff"
    for part in out err exit; do
        want=$golden/$name.$part
        if [ "$accept" = yes ]; then
            if [ -s "$work/$part" ]; then cp "$work/$part" "$want"; else rm -f "$want"; fi
            continue
        fi
        [ -e "$want" ] || want=/dev/null
        cmp -s "$want" "$work/$part" || diff -u --label "wanted $part" --label "found $part" "$want" "$work/$part" >>"$work/diff" || :
    done
    if [ -s "$work/diff" ]; then
        echo "not ok $count - golden $name"
        sed 's/^/# /' "$work/diff"
        failed=$((failed + 1))
    else
        echo "ok $count - golden $name"
    fi
done
echo "1..$count"
[ "$failed" -eq 0 ]
