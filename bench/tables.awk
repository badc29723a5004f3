# SPDX-License-Identifier: MIT
# tables.awk: what record.sh measured, as tables beside the goals.
#
#   awk -f tables.awk speed.csv
#
# A figure below its goal is marked with "!".
BEGIN {
    FS = ","
    sizes = "1024 2048 4096 8192 16384"
    goal["f32,spaced,0"] = "2.2 3.5 4.5 4.8 4.3"
    goal["f32,loop,0"] = "- - 4.0 4.3 -"
    goal["f32,spaced,1"] = "2.7 4.5 5.1 5.2 4.4"
    goal["tf32,spaced,0"] = goal["tf32,spaced,1"] = "1.0 1.03 1.05 1.03 1.03"
    goal["f16,spaced,0"] = goal["bf16,spaced,0"] = "1.0 1.03 1.05 1.02 1.02"
    goal["f32-strict,spaced,0"] = "- - - - -"
}

NR == 1 {
    for (i = 1; i <= NF; i++)
        at[$i] = i
    next
}

# The header of each further file.
$1 == "m" { next }

{
    shape = $at["m"] "x" $at["n"] "x" $at["k"]
    key = $at["compute"] "," $at["protocol"] "," $at["kept"] "," $at["layout"] "," shape
    # The measurement with cuBLAS in its best layout counts, where there are two.
    if (!(key in rate) || $at["cublas_layout"] != "") {
        rate[key] = $at["tflops"]
        ratio[key] = $at["ratio"]
        peer[key] = $at["cublas_layout"]
    }
    if (!(shape in seen))
        shapes[++shape_count] = shape
    seen[shape] = 1
}

function number(value, digits)
{
    return value == "" ? "-" : sprintf("%." digits "f", value)
}

function mark(value, least)
{
    return least != "-" && (value == "" || value + 0 < least + 0) ? "!" : ""
}

# One row for each size: rate, ratio, goal.
function row(name, mode,    count, i, n, size, goals, key)
{
    count = split(sizes, size, " ")
    split(goal[mode], goals, " ")
    printf "%-22s", name
    for (i = 1; i <= count; i++) {
        key = mode ",nn," size[i] "x" size[i] "x" size[i]
        printf "  %22s", sprintf("%s %s%s %s (%s)", number(rate[key], 1), number(ratio[key], 2),
            mark(ratio[key], goals[i]), peer[key] == "" ? "" : peer[key], goals[i])
    }
    print ""
}

function squares(    count, i, size)
{
    count = split(sizes, size, " ")
    print "TFLOP/s, ratio to cuBLAS, cuBLAS's layout, goal"
    printf "%-22s", "mode"
    for (i = 1; i <= count; i++)
        printf "  %22s", size[i]
    print ""
    row("f32, spaced", "f32,spaced,0")
    row("f32, loop", "f32,loop,0")
    row("f32 kept, spaced", "f32,spaced,1")
    row("tf32, spaced", "tf32,spaced,0")
    row("tf32 kept, spaced", "tf32,spaced,1")
    row("f16, spaced", "f16,spaced,0")
    row("bf16, spaced", "bf16,spaced,0")
    row("f32-strict, spaced", "f32-strict,spaced,0")
}

function layouts(    modes, names, mode, count, i, j, s, size, key, best, least, text)
{
    print "\nlayouts, TFLOP/s: nn, nt, tn, tt; the slowest as a share of the fastest (0.90)"
    count = split("f32 f32-strict tf32 f16 bf16", modes, " ")
    split("nn nt tn tt", names, " ")
    split("4096 8192", size, " ")
    for (i = 1; i <= count; i++)
        for (s = 1; s <= 2; s++) {
            best = 0
            least = ""
            text = ""
            for (j = 1; j <= 4; j++) {
                key = modes[i] ",spaced,0," names[j] "," size[s] "x" size[s] "x" size[s]
                text = text sprintf("  %6s", number(rate[key], 1))
                if (rate[key] == "")
                    continue
                if (rate[key] > best)
                    best = rate[key]
                if (least == "" || rate[key] < least)
                    least = rate[key]
            }
            if (best > 0)
                printf "%-10s %5d%s  %.3f%s\n", modes[i], size[s], text, least / best, mark(least / best, 0.90)
        }
}

# Where a row's length in bytes is no multiple of 16, TMA cannot be used, and less is asked for.
function odd(shape, neighbour, goal32, goal16,    modes, count, i, key, share, least)
{
    count = split("f32 f32-strict tf32 f16 bf16", modes, " ")
    for (i = 1; i <= count; i++) {
        key = modes[i] ",spaced,0,nn,"
        if (rate[key shape] == "" || rate[key neighbour] == "")
            continue
        share = rate[key shape] / rate[key neighbour]
        least = modes[i] ~ /16$/ ? goal16 : goal32
        printf "%-10s %-15s %6.1f  %-15s %6.1f  %.3f%s (%s)  %s\n", modes[i], shape, rate[key shape], neighbour,
            rate[key neighbour], share, mark(share, least), least, number(ratio[key shape], 2)
    }
}

END {
    squares()
    layouts()
    print "\nodd sizes: TFLOP/s, the neighbour's, share of it, goal, ratio to cuBLAS"
    odd("4095x4095x4095", "4096x4096x4096", "0.75", "0.75")
    odd("4097x4097x4097", "4096x4096x4096", "0.75", "0.75")
    odd("4100x4100x4100", "4096x4096x4096", "0.90", "0.75")
    odd("5000x3000x7000", "5120x3072x7040", "0.90", "0.90")
}
