"$MLFS" run --help
