# What is in the bundled trace.
cp "$ROOT/traces/samples/philly-2k.csv" philly-2k.csv
"$MLFS" describe philly-2k.csv
