# The program alone and with --help says the same.
"$MLFS" >alone
"$MLFS" --help >asked
cmp alone asked && cat asked
