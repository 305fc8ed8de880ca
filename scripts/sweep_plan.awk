# scripts/sweep_plan.awk -- from grid files to a list of tasks, leaving out what is finished.
#
# usage: SWEEP_OUT=DIR SWEEP_BUNDLE=N SWEEP_TASKS=N SWEEP_GATHER=0|1 awk -f sweep_finished.awk -f sweep_plan.awk GRID...
#
# Terms: a *point* is one choice of everything but policy and seed, and a folder; a *rectangle* is some policies times
# consecutive seeds of one point, which one process runs; a *task* is a list of rectangles.  A rectangle has at most
# SWEEP_BUNDLE runs (or so many that there are about SWEEP_TASKS of them).  With SWEEP_GATHER=1 rectangles are put together to
# tasks of at least so many runs.
#
# Writes into DIR/.sweep: `plan` (task, point, policies, first seed, last seed, folders of these policies), `runs` (what each run
# is, finished or not) and `points/POINT` (the arguments of mlfs-sim, one a line).  Prints counts: runs, finished, tasks,
# largest rectangle.  The environment and not -v, which would read backslashes in names as escapes.

function die(text)
{
    printf "sweep.sh: %s\n", text >"/dev/stderr"
    failed = 1
    exit 2
}

function die_here(text) { die(FILENAME ":" FNR ": " text) }

# Bytes that are letters in a name; all others are written %XX, so that different values have different names.
function encode(text,    i, c, name)
{
    name = ""
    for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        name = name (c ~ /[A-Za-z0-9_.:+=-]/ && !(i == 1 && c == ".") ? c : sprintf("%%%02X", code[c]))
    }
    return name
}

# Folders have at most 255 bytes in their names.  Two points of one name are told apart by their arguments.
function shorten(name,    i, sum)
{
    if (length(name) <= 180) return name
    sum = 0
    for (i = 1; i <= length(name); i++) sum = (sum * 31 + code[substr(name, i, 1)]) % 4294967291
    return substr(name, 1, 160) sprintf("~%08x", sum)
}

# ---- reading ----

BEGIN {
    for (i = 1; i < 256; i++) code[sprintf("%c", i)] = i
    n = split("cluster preset config format jobs window measure horizon tick sample load arrival-scale", word, " ")
    for (i = 1; i <= n; i++) takes_value[word[i]] = 1
    n = split("load sample arrival-scale tick policy seeds", word, " ")
    for (i = 1; i <= n; i++) takes_list[word[i]] = 1
    is_flag["strict"] = is_flag["oracle"] = 1
    out = ENVIRON["SWEEP_OUT"]
    n_grids = 0
}

FNR == 1 { begin_grid() }

{
    sub(/\r$/, "")
    gsub(/^[ \t]+|[ \t]+$/, "")
    if ($0 == "" || $0 ~ /^#/) next
    if ($0 ~ /[\001-\010\013-\037\177]/) die_here("a control character")
    key = $1
    value = substr($0, length(key) + 1)
    sub(/^[ \t]+/, "", value)
    if (index(value, "\t")) die_here("a tab within a value")
    if (key == "set") {
        at = index(value, "=")
        if (at < 2) die_here("expected 'set KEY=VALUE', found '" $0 "'")
        add_value("set " substr(value, 1, at - 1), value)
    } else if (key in is_flag) {
        if (value != "") die_here("'" key "' takes no value")
        add_value(key, "")
    } else if (!(key in takes_value) && !(key in takes_list) && key != "trace") {
        die_here("unknown word '" key "'; there are trace, policy, seeds, set, strict, oracle, cluster, preset, config, format, jobs, window, measure, horizon, tick, sample, load and arrival-scale")
    } else if (value == "") {
        die_here("'" key "' needs a value")
    } else if (key in takes_list) {
        n = split(value, word, ",")
        for (i = 1; i <= n; i++) {
            gsub(/^[ \t]+|[ \t]+$/, "", word[i])
            if (word[i] == "") die_here("an empty place in the list '" value "'")
            if (key == "seeds") add_seeds(word[i])
            else add_value(key, word[i])
        }
    } else {
        if (key == "trace" && value == "-") die_here("a sweep reads its trace more than once, so it cannot be standard input")
        add_value(key, value)
    }
}

function begin_grid()
{
    end_grid()
    n_grids++
    grid = FILENAME
    split("", values)
    split("", keys)
    split("", seen)
    n_keys = 0
}

function add_value(key, value)
{
    if (key == "policy" && value == "all") die_here("name the policies; `mlfs-sim list policies` does")
    if (!(key in values)) {
        values[key] = 0
        if (key != "policy" && key != "seeds") keys[++n_keys] = key
    }
    if ((key SUBSEP value) in seen) return
    seen[key, value] = 1
    values[key, ++values[key]] = value
}

function add_seeds(text,    from, to, at)
{
    if (text !~ /^[0-9]+(:[0-9]+)?$/) die_here("expected seeds N or A:B, found '" text "'")
    at = index(text, ":")
    from = at ? substr(text, 1, at - 1) + 0 : text + 0
    to = at ? substr(text, at + 1) + 0 : from
    if (from > to || to - from >= 100000 || to > 9007199254740991) die_here("expected seeds A:B with A <= B and at most 100000 of them, found '" text "'")
    for (; from <= to; from++) add_value("seeds", sprintf("%.0f", from))
}

# ---- every combination ----

function end_grid(    i, j, place, carry)
{
    if (!n_grids) return
    if (!("trace" in values)) die(grid ": no trace")
    if (!("policy" in values)) die(grid ": no policy")
    if (!("seeds" in values)) add_value("seeds", "1")
    for (i = 1; i <= values["trace"]; i++)
        if (!(values["trace", i] in is_trace)) {
            is_trace[values["trace", i]] = 1
            trace[++n_traces] = values["trace", i]
        }
    for (i = 1; i <= n_keys; i++) {
        place[i] = 1
        if (!(keys[i] in is_column)) {
            is_column[keys[i]] = 1
            column[++n_columns] = keys[i]
        }
    }
    do {
        keep_point(place)
        for (i = n_keys; i > 0 && ++place[i] > values[keys[i]]; i--) place[i] = 1
    } while (i > 0)
}

function keep_point(place,    i, p, value)
{
    p = ++n_points
    for (i = 1; i <= n_keys; i++) {
        value = values[keys[i], place[i]]
        point_key[p, i] = keys[i]
        point_value[p, i] = value
        point_at[p, keys[i]] = keys[i] in is_flag ? "1" : keys[i] ~ /^set / ? substr(value, length(keys[i]) - 2) : value
    }
    point_keys[p] = n_keys
    point_policies[p] = values["policy"]
    for (i = 1; i <= values["policy"]; i++) point_policy[p, i] = values["policy", i]
    point_seeds[p] = values["seeds"]
    for (i = 1; i <= values["seeds"]; i++) point_seed[p, i] = values["seeds", i]
}

function name_point(p,    i, key, value, name, text)
{
    name = ""
    for (i = 1; i <= point_keys[p]; i++) {
        key = point_key[p, i]
        value = point_value[p, i]
        if (key == "trace" && n_traces == 1) continue
        text = key in is_flag ? key : key ~ /^set / ? value : key "=" value
        name = name (name == "" ? "" : ",") encode(text)
    }
    return shorten(name == "" ? "runs" : name)
}

function arguments(p,    i, key, value, text, file)
{
    text = ""
    for (i = 1; i <= point_keys[p]; i++) {
        key = point_key[p, i]
        value = point_value[p, i]
        if (key == "trace") file = value
        else if (key in is_flag) text = text "--" key "\n"
        else if (key ~ /^set /) text = text "--set=" value "\n"
        else text = text "--" key "=" value "\n"
    }
    return text "--\n" file "\n"
}

# ---- what is left to do, as rectangles, and these as tasks ----

function sort_numbers(list, n,    i, j, held)
{
    for (i = 2; i <= n; i++) {
        held = list[i]
        for (j = i - 1; j > 0 && list[j] > held; j--) list[j + 1] = list[j]
        list[j + 1] = held
    }
}

function add_rectangle(name, policies, folders, n, first, last)
{
    n_rectangles++
    in_point[n_rectangles] = name
    policy_list[n_rectangles] = policies
    folder_list[n_rectangles] = folders
    width[n_rectangles] = n
    first_seed[n_rectangles] = first
    last_seed[n_rectangles] = last
    n_left += n * (last - first + 1)
}

# Policies of one kind (all by name together; a shared object, whose folder its own name gives, alone).
function add_missing(name, seeds, n_seeds, policies, n,    i, j, list, folders, count, open, first, last, open_folders, open_count)
{
    open = ""
    for (i = 1; i <= n_seeds; i++) {
        list = folders = ""
        count = 0
        for (j = 1; j <= n; j++)
            if (!((name, policies[j], seeds[i]) in is_done)) {
                list = list (count ? "," : "") policies[j]
                folders = folders (count ? "," : "") encode(policies[j])
                count++
            }
        if (open != "" && (list != open || seeds[i] != last + 1)) {
            add_rectangle(name, open, open_folders, open_count, first, last)
            open = ""
        }
        if (list == "") continue
        if (open == "") first = seeds[i]
        open = list
        open_folders = folders
        open_count = count
        last = seeds[i]
    }
    if (open != "") add_rectangle(name, open, open_folders, open_count, first, last)
}

function plan_point(p,    name, i, j, s, list, n, one, seeds, n_seeds, key, text)
{
    name = name_point(p)
    text = arguments(p)
    if ((name in point_text) && point_text[name] != text) die("two points of these grids would share the folder '" name "' with different arguments; sweep them into different folders")
    if (!(name in point_text)) {
        point_text[name] = text
        printf "%s", text >(out "/.sweep/points/" name)
        close(out "/.sweep/points/" name)
    }
    n_seeds = 0
    for (i = 1; i <= point_seeds[p]; i++) seeds[++n_seeds] = point_seed[p, i] + 0
    sort_numbers(seeds, n_seeds)
    text = ""
    for (i = 1; i <= n_columns; i++) text = text "\t" ((p, column[i]) in point_at ? point_at[p, column[i]] : "")
    for (i = 1; i <= point_policies[p]; i++)
        for (s = 1; s <= n_seeds; s++) {
            key = name SUBSEP point_policy[p, i] SUBSEP seeds[s]
            if (key in is_planned) { # by another grid file
                is_done[key] = 1
                continue
            }
            is_planned[key] = 1
            n_runs++
            if (is_finished(out "/" name "/" encode(point_policy[p, i]) "/seed-" seeds[s])) {
                is_done[key] = 1
                n_finished++
            }
            printf "%s\t%s\t%s\t%s%s\n", name, encode(point_policy[p, i]), seeds[s], point_policy[p, i], text >(out "/.sweep/runs")
        }
    n = 0
    for (i = 1; i <= point_policies[p]; i++)
        if (index(point_policy[p, i], "/")) {
            one[1] = point_policy[p, i]
            add_missing(name, seeds, n_seeds, one, 1)
        } else {
            list[++n] = point_policy[p, i]
        }
    add_missing(name, seeds, n_seeds, list, n)
}

function put(r, policies, folders, first, last, n)
{
    n_pieces++
    piece[n_pieces] = in_point[r] "\t" policies "\t" first "\t" last "\t" folders
    piece_runs[n_pieces] = n
    if (n > largest) largest = n
}

function cut(r,    per, s, to, i, j, policy, folder, policies, folders)
{
    if (width[r] <= bundle) {
        per = int(bundle / width[r])
        for (s = first_seed[r]; s <= last_seed[r]; s += per) {
            to = s + per - 1 < last_seed[r] ? s + per - 1 : last_seed[r]
            put(r, policy_list[r], folder_list[r], s, to, width[r] * (to - s + 1))
        }
        return
    }
    split(policy_list[r], policy, ",")
    split(folder_list[r], folder, ",")
    for (s = first_seed[r]; s <= last_seed[r]; s++)
        for (i = 1; i <= width[r]; i += bundle) {
            policies = policy[i]
            folders = folder[i]
            for (j = i + 1; j < i + bundle && j <= width[r]; j++) {
                policies = policies "," policy[j]
                folders = folders "," folder[j]
            }
            put(r, policies, folders, s, s, j - i)
        }
}

END {
    if (failed) exit 2
    end_grid()
    if (!n_grids) die("a grid file is empty")
    printf "" >(out "/.sweep/plan")
    text = "folder\tfolder\tseed\tpolicy"
    for (i = 1; i <= n_columns; i++) text = text "\t" (column[i] ~ /^set / ? substr(column[i], 5) : column[i])
    print text >(out "/.sweep/runs")
    for (p = 1; p <= n_points; p++) plan_point(p)

    bundle = ENVIRON["SWEEP_BUNDLE"] + 0
    if (ENVIRON["SWEEP_TASKS"] > 0) bundle = int((n_left + ENVIRON["SWEEP_TASKS"] - 1) / ENVIRON["SWEEP_TASKS"])
    if (bundle < 1) bundle = 1
    for (r = 1; r <= n_rectangles; r++) cut(r)
    gather = ENVIRON["SWEEP_GATHER"] == 1
    task = n_pieces ? 1 : 0
    in_task = 0
    rest = n_left
    for (i = 1; i <= n_pieces; i++) {
        # A new task once this one is full, unless what remains would not fill another.
        if (in_task && (!gather || (in_task >= bundle && rest >= bundle))) {
            task++
            in_task = 0
        }
        print task "\t" piece[i] >(out "/.sweep/plan")
        in_task += piece_runs[i]
        rest -= piece_runs[i]
    }
    printf "%d %d %d %d\n", n_runs, n_finished, task, largest
}
