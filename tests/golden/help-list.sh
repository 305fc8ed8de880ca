"$MLFS" list --help
