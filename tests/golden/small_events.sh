# Every event and every granted request of a small world: a wide job that narrow ones push out.
. "$ROOT/tests/replay.sh"
replay small srtf 2x2 'wide,0,4,100 / narrow,10,1,20 / pair,12.5,2,30.25 / late,40,3,5' --events small.events
cat small.events small/srtf/timeline.csv
