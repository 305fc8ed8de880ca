#!/bin/sh
# tests/sh/examples.sh -- every command explains itself, and the example it shows works as written.
set -u
. "$(dirname "$0")/../tap.sh"

mkdir bin
ln -s "$MLFS" bin/mlfs-sim
ln -s "$ROOT/traces" traces
PATH=$WORK/bin:$PATH

explains() { mlfs-sim "$1" --help >help.txt 2>said && [ ! -s said ] && grep -q '^Usage: mlfs-sim' help.txt; }
example() { mlfs-sim "$1" --help | sed -n '/^Example:/,$ { s/^  //p; }'; }

commands=$(mlfs-sim --help | sed -n '/^Commands:/,/^$/ s/^  \([a-z]*\) .*/\1/p')
ok "there are commands" test -n "$commands"
for command in $commands; do
    ok "$command --help" explains "$command"
    example "$command" >example.sh
    ok "$command --help shows an example" test -s example.sh
    ok "the example of $command works" sh -eu example.sh
done

# The examples of docs/output.md: every block of commands, in its order.
awk '/^```/ { on = !on; next } on && /^mlfs-sim / { print }' "$ROOT/docs/output.md" >docs.sh
ok "docs/output.md shows examples" test -s docs.sh
while read -r line; do ok "docs/output.md: $line" sh -euc "$line"; done <docs.sh
finish
