# scripts/sweep_finished.awk -- whether a run is there as a whole: asked by the plan, by tasks and by the table of a sweep.

# Its summary is the last file that is written and ends with its brace; run.json says that nobody interrupted it.
function is_finished(folder,    file, line, found)
{
    file = folder "/summary.json"
    line = ""
    while ((getline line <file) > 0) continue
    close(file)
    if (line != "}") return 0
    file = folder "/run.json"
    found = 0
    while (!found && (getline line <file) > 0) found = line ~ /^\t"complete":\ttrue/
    close(file)
    return found
}
