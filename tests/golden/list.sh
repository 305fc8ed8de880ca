# Lists that grow with the program are looked at line by line, the others whole.
"$MLFS" list | grep '^fifo '
"$MLFS" list policies | grep '^tiresias-g '
"$MLFS" list presets
"$MLFS" list formats | grep '^csv '
"$MLFS" list params srtf
"$MLFS" list params tiresias-l
"$MLFS" list params run.tick
"$MLFS" list params fifo
"$MLFS" list metrics | grep '^makespan_s '
"$MLFS" list params run.tick --set run.tick=30 --set srtf.hold_s=1
