# The bundled trace under every policy.
. "$ROOT/tests/replay.sh"
cp "$ROOT/traces/samples/philly-2k.csv" philly-2k.csv
again philly-2k all 16x8
cat philly-2k.out philly-2k.err
