#!/bin/sh
# scripts/check.sh -- what a reader would otherwise have to look for: format, floors, static analysis, documentation.
# shellcheck disable=SC2086 # lists of words are meant to split
set -eu
. "$(dirname "$0")/../tests/tap.sh"
cd "$ROOT"
sources=$(find . -name build -prune -o -name '*.[ch]' -print | sed 's|^\./||' | sort)

format() { clang-format --dry-run -Werror $sources; }

analyse()
{
    cppcheck --quiet --error-exitcode=1 --std=c11 -j"$(nproc)" --cppcheck-build-dir="$WORK" --inline-suppr \
        --enable=warning,portability --suppress=missingIncludeSystem -I. -D_GNU_SOURCE $sources
}

scripts() { shellcheck -x scripts/*.sh tests/*.sh tests/sh/*.sh .ci/run; }

documented() # every policy of the program has a row in docs/policies.md
{
    "$MLFS" list policies >"$WORK/policies" && [ -s "$WORK/policies" ] || return 1
    undocumented=$(awk '/^[^ ]/ { print $1 }' "$WORK/policies" | while read -r name; do
        grep -q "^| \`$name\`" docs/policies.md || echo "$name"
    done)
    [ -z "$undocumented" ] || { echo "no row in docs/policies.md: $undocumented"; return 1; }
}

ok "format: clang-format" format
ok "floors: includes go down" sh scripts/check-floors.sh
ok "static analysis: cppcheck" analyse
ok "static analysis: shellcheck" scripts
ok "documentation: every policy has a row" documented
finish
