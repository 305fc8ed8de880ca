# shellcheck shell=sh
# tests/tap.sh -- words for shell tests, which print TAP: source it, call `ok`, `skip` and at the end `finish`.
#
# ROOT is the repository, MLFS the program, WORK a fresh folder that goes with the script and is the current one.

ROOT=$(cd "$(dirname "$0")" && while [ ! -e LICENSE ]; do cd ..; done && pwd)
MLFS=${MLFS:-$ROOT/mlfs-sim}
SHARED=${MLFS_SHARED:-$ROOT/../shared}
export ROOT MLFS SHARED
WORK=$(mktemp -d "${TMPDIR:-/tmp}/mlfs-test.XXXXXX")
trap 'rm -rf "$WORK"' EXIT
trap 'exit 130' INT TERM
cd "$WORK" || exit 1
tap_count=0
tap_failed=0

# ok NAME COMMAND...: the command must succeed; what it prints is shown only when it does not.
ok()
{
    tap_name=$1
    shift
    tap_count=$((tap_count + 1))
    if "$@" >"$WORK/.said" 2>&1; then
        echo "ok $tap_count - $tap_name"
    else
        echo "not ok $tap_count - $tap_name (status $?: $*)"
        sed 's/^/# /' "$WORK/.said"
        tap_failed=$((tap_failed + 1))
    fi
}

# is NAME WANTED FOUND: two texts must be equal.
is()
{
    tap_count=$((tap_count + 1))
    if [ "$2" = "$3" ]; then
        echo "ok $tap_count - $1"
    else
        echo "not ok $tap_count - $1"
        printf 'wanted: %s\nfound:  %s\n' "$2" "$3" | sed 's/^/# /'
        tap_failed=$((tap_failed + 1))
    fi
}

skip()
{
    tap_count=$((tap_count + 1))
    echo "ok $tap_count # SKIP $1: skipped: $2"
}

finish()
{
    echo "1..$tap_count"
    [ "$tap_failed" -eq 0 ] || exit 1
    exit 0
}
