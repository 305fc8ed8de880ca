#!/bin/sh
# tests/sh/readme.sh -- every command of README.md and docs/ runs as written, in a copy as `git archive` makes it (u65).
#
# One of those commands is scripts/test.sh: MLFS_README tells the Makefile to leave out the script tests there.
set -eu
. "$(dirname "$0")/../tap.sh"

# The tracked files as they are now, without what a build leaves; a tree without git is copied.
mkdir copy
if [ "$(git -C "$ROOT" rev-parse --show-toplevel 2>/dev/null)" = "$ROOT" ]; then
    commit=$(git -C "$ROOT" -c user.name=test -c user.email=test@localhost stash create)
    git -C "$ROOT" archive "${commit:-HEAD}" | tar xf - -C copy
else
    (cd "$ROOT" && tar cf - --exclude=./build --exclude=./mlfs-sim --exclude=./results/runs .) | tar xf - -C copy
fi

run_block()
{
    (cd copy && env -u MLFS -u ROOT -u MLFS_SHARED -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u CMOCKA_MESSAGE_OUTPUT MLFS_README=yes \
        sh -eu "$WORK/block" </dev/null) >"$WORK/stdout" && cp "$WORK/stdout" "$WORK/stdout.$page_name.$n"
}

for page in README.md $(cd "$ROOT" && echo docs/*.md); do
    [ -e "$ROOT/$page" ] || continue
    # A block of C that begins "/* PATH -- " is that file.
    awk '/^```/ { inside = $0 == "```c"; path = ""; next }
        inside && path == "" && $1 == "/*" { path = "copy/" $2 }
        inside && path != "" { print >path }' "copy/$page"
    page_name=$(basename "$page")
    n=0
    while n=$((n + 1)) && awk -v wanted=$n '
            /^```/ { inside = !inside && $0 == "```sh" && ++n == wanted; if (inside) found = 1; next }
            inside
            END { exit !found }' "copy/$page" >block; do
        ok "u65_readme_commands $page $n: $(head -n 1 block)" run_block
    done
done
shown=$(awk '/^```/ { open = !open; plain = open && $0 == "```"; next } plain' copy/README.md)
is "u63_sample_output_in_the_readme" "$shown" "$(sed -n '/^policy /,/^tiresias-g /p' stdout.README.md.1)"
# The picture: its data have the checksum that results/README.md tells, and with the same gnuplot and font it has the same bytes.
told=$(sed -n 's/.*drawn by \(gnuplot .*\) from data with checksum \([0-9]*\).*/\1|\2/p' copy/results/README.md)
is "u63_picture_in_the_readme data" "${told#*|}" "$(cksum <copy/results/runs/quickstart/jct_cdf.dat | cut -d' ' -f 1)"
here="$(gnuplot --version 2>/dev/null || true) and $(fc-match -f '%{family} %{fontversion}' Sans 2>/dev/null || true)"
if [ "${told%|*}" = "$here" ]; then
    ok "u63_picture_in_the_readme" cmp copy/results/quickstart_cdf.png copy/results/runs/quickstart/jct_cdf.png
else
    skip "u63_picture_in_the_readme" "drawn by ${told%|*}, here is $here"
fi
ok "u65_readme_commands the copy holds the README" [ -e copy/README.md ]
finish
