# SPDX-License-Identifier: MIT
# man3.awk: writes the manual pages of a public header out of its comments.
#
#     awk -v folder=man -v date='November 30, 2026' -v version=0.1.0 -f build-aux/man3.awk include/isomat.h
#
# The comment at the header's head becomes the page of the header's name, each
# section, "/* ---- contexts */", the page that is listed below.  A comment
# belongs to the declarations that follow it without an empty line.  In it,
# "NAME  text" is an item of a list, what is indented is kept as it stands, and
# two spaces end a sentence.

BEGIN {
    page_of["version"] = "isomat_version"; about["isomat_version"] = "version and constants"
    page_of["status"] = "isomat_error"; about["isomat_error"] = "statuses and messages"
    page_of["handles"] = "isomat_handle"; about["isomat_handle"] = "handles of objects"
    page_of["driver and devices"] = "isomat_driver"; about["isomat_driver"] = "driver and devices"
    page_of["contexts"] = "isomat_context"; about["isomat_context"] = "contexts"
    page_of["streams and events"] = "isomat_stream"; about["isomat_stream"] = "streams and events"
    page_of["memory"] = "isomat_memory"; about["isomat_memory"] = "memory of devices and page-locked memory"
    page_of["modules and kernels"] = "isomat_module"; about["isomat_module"] = "modules, kernels and launches"
    page_of["graphs"] = "isomat_graph"; about["isomat_graph"] = "sequences that are captured once and launched again and again"
    page_of["profiling"] = "isomat_profiler"; about["isomat_profiler"] = "working with a profiler"
    page_of["matrices"] = "isomat_matrix"; about["isomat_matrix"] = "matrices on a device"
    page_of["multiplication"] = "isomat_gemm"; about["isomat_gemm"] = "multiplication of matrices"
}

FNR == 1 {
    header = FILENAME; sub(/.*\//, "", header)
    page = header; sub(/\.h$/, "", page)
    start_page(page)
}

/^\/\* SPDX/ { next }

/^\/\* -+ [a-z ]+ \*\/$/ {
    section = $0; gsub(/^\/\* -+ | \*\/$/, "", section)
    if (!(section in page_of)) fail("a section without a page, add it here: " section)
    page = page_of[section]
    start_page(page)
    next
}

# A comment of its own, at the beginning of a line.
!in_code && (in_comment || /^\/\*/) {
    if (!in_comment) comment = ""
    line = $0
    ends = sub(/ *\*\/$/, "", line)
    sub(/^\/\* ?|^ \* ?/, "", line)
    comment = comment line "\n"
    in_comment = !ends
    next
}

/^$/ { emit(); next }

{ code = code $0 "\n"; in_code = 1 }

END { if (!failed) { emit(); finish() } }

function fail(text) {
    print "man3.awk: " text >"/dev/stderr"
    failed = 1
    exit 1
}

function start_page(name) {
    if (!(name in body)) { pages[++page_count] = name; body[name] = ""; names[name] = ""; synopsis[name] = "" }
}

# A comment and the declarations behind it, either of which may be missing.
function emit() {
    if (code ~ /^#(if|include|endif)/) code = ""
    if (page_count == 1 && about[page] == "" && comment != "") {
        about[page] = comment; sub(/\n.*/, "", about[page]); sub(/^[^:]*: /, "", about[page]); sub(/\.$/, "", about[page])
        sub(/^[^\n]*\n/, "", comment)
    }
    if (code ~ /ISOMAT_API /) functions()
    else if (code ~ /^#define/) constants()
    else if (code != "") add(text(comment) literal(code))
    else if (comment != "") add(text(comment))
    comment = code = ""; in_code = 0
}

function add(lines) { body[page] = body[page] lines }

function functions(    count, declared, each, one, name, result, list, title) {
    count = split(code, each, ";\n")
    for (one = 1; one < count; one++) {
        declared = each[one]
        gsub(/[ \n]+/, " ", declared); sub(/^ ?ISOMAT_API /, "", declared)
        name = declared; sub(/\(.*/, "", name); result = name
        sub(/.*[ *]/, "", name); sub(/[a-z_0-9]+$/, "", result); sub(/ $/, "", result)
        list = declared; sub(/^[^(]*\(/, "", list); sub(/\)$/, "", list); gsub(/, /, "\" \"", list)
        synopsis[page] = synopsis[page] ".Ft " result "\n.Fn " name " \"" list "\"\n"
        names[page] = names[page] " " name
        title = title (title == "" ? "" : " , ") name
    }
    add(".Ss " title "\n" (comment == "" ? "Returns a status.\n" : text(comment)))
}

function constants(    count, each, one, line, value, note, items) {
    gsub(/\\\n */, "", code)
    count = split(code, each, "\n")
    for (one = 1; one < count; one++) {
        line = each[one]; note = ""
        if (line !~ /^#define [A-Z0-9_]+ +\(?-?[0-9]+\)?/) fail("not a constant: " line)
        if (match(line, /\/\*.*\*\//)) note = substr(line, RSTART + 3, RLENGTH - 6)
        value = line; sub(/^#define [A-Z0-9_]+ +/, "", value); sub(/ *\/\*.*/, "", value); gsub(/[() ]/, "", value)
        sub(/^#define /, "", line); sub(/ .*/, "", line)
        items = items ".It Dv " line " Pq " value "\n" (note == "" ? "" : sentence(note))
    }
    add(text(comment) ".Bl -tag -width Ds\n" items ".El\n")
}

function escaped(line) {
    gsub(/\\/, "\\e", line)
    if (line ~ /^[.']/) line = "\\&" line
    return line
}

# Each sentence on a line of its own.
function sentence(line) {
    sub(/^ +/, "", line)
    line = escaped(line)
    while (match(line, /[.:)?]  +/)) line = substr(line, 1, RSTART) "\n" substr(line, RSTART + RLENGTH)
    gsub(/  +/, " ", line)
    return line "\n"
}

function literal(lines) {
    sub(/\n+$/, "\n", lines)
    gsub(/\\/, "\\e", lines)
    return ".Bd -literal\n" lines ".Ed\n"
}

# What ends is a list, a text kept as it stands, or nothing.
function close_block() {
    if (kind == "list") out = out ".El\n"
    if (kind == "literal") out = out ".Ed\n"
    kind = ""
}

function flush() {
    if (words != "") out = out sentence(words)
    words = ""
}

function item(tag, line) {
    flush()
    if (kind != "list") { close_block(); out = out ".Bl -tag -width Ds\n" }
    kind = "list"
    sub(/\.$/, "", tag)
    out = out ".It " (tag ~ /^[A-Z_, ]+$/ ? "Er " : "Sy ") tag "\n"
    words = line
}

function text(lines,    count, each, one, line, tag, after_blank) {
    out = words = kind = ""
    count = split(lines, each, "\n")
    for (one = 1; one < count; one++) {
        line = each[one]
        if (line == "") { flush(); if (kind != "literal") close_block(); after_blank = 1; continue }
        if (kind == "literal" && line ~ /^ /) { out = out (after_blank ? "\n" : "") escaped(line) "\n"; after_blank = 0; continue }
        if (line ~ /^[A-Z][A-Z ]+$/ && line !~ /^[A-Z]+_/ && length(line) > 4) {
            flush(); close_block(); out = out ".Ss " line "\n"; after_blank = 0; continue
        }
        if (line ~ /^([A-Z][A-Z_]+(, [A-Z][A-Z_]+)*|[A-Z][a-z]+\.)  +/) {
            tag = line; sub(/  .*/, "", tag); line = substr(line, length(tag) + 1)
            item(tag, line)
        } else if (line ~ /^ / && kind != "list") {
            flush(); close_block(); out = out ".Bd -literal\n" escaped(line) "\n"; kind = "literal"
        } else {
            if (line !~ /^ / && kind != "") { flush(); close_block(); after_blank = 1 }
            if (after_blank && words == "" && out != "" && out !~ /\.Ss [^\n]*\n$/) out = out ".Pp\n"
            # A status in the middle of a line, after a sentence.
            if (match(line, /\.  [A-Z][A-Z_]+  /)) {
                words = words (words == "" ? "" : " ") substr(line, 1, RSTART)
                line = substr(line, RSTART + 3); tag = line; sub(/  .*/, "", tag); sub(/^[^ ]+ +/, "", line)
                item(tag, line)
            } else words = words (words == "" ? "" : words ~ /[.:)?]$/ ? "  " : " ") trimmed(line)
        }
        after_blank = 0
    }
    flush(); close_block()
    return out
}

function trimmed(line) { sub(/^ +/, "", line); return line }

# The pages' names in order: of few, the plainest way.
function sort_pages(    one, other, held) {
    for (one = 2; one <= page_count; one++)
        for (other = one; other > 1 && pages[other - 1] > pages[other]; other--) {
            held = pages[other]; pages[other] = pages[other - 1]; pages[other - 1] = held
        }
}

function finish(    one, other, name, file, count, each, first, separator) {
    sort_pages()
    for (one = 1; one <= page_count; one++) {
        name = pages[one]; file = folder "/" name ".3"
        first = names[name] " "
        if (index(first, " " name " ") == 0) first = " " name first
        count = split(first, each, " ")
        print ".\\\" SPDX-License-Identifier: MIT\n.\\\" Written by build-aux/man3.awk from " header "; not to be edited." >file
        print ".Dd " date "\n.Dt " toupper(name) " 3\n.Os \"isomat " version "\"\n.Sh NAME" >file
        for (other = 1; other <= count; other++) print ".Nm " each[other] (other < count ? " ," : "") >file
        print ".Nd " about[name] "\n.Sh SYNOPSIS\n.In " header >file
        printf "%s", synopsis[name] >file
        print ".Sh DESCRIPTION" >file
        printf "%s", body[name] >file
        if (synopsis[name] ~ /\.Ft int32_t/)
            print ".Sh RETURN VALUES\nFunctions that return\n.Vt int32_t\ngive\n.Dv ISOMAT_OK ,\n0, or a negative status where nothing else is said; the names above lack the prefix\n.Li ISOMAT_ERROR_ .\nThe statuses that every function may return are in\n.Xr isomat 3 ." >file
        print ".Sh SEE ALSO" >file
        print ".Xr isomat 1" (name == "isomat" && page_count == 1 ? "" : " ,") >file
        for (other = 1; other <= page_count; other++)
            if (pages[other] != name)
                separator = separator (separator == "" ? "" : " ,\n") ".Xr " pages[other] " 3"
        if (page_count == 1) separator = ".Xr isomat 3"
        print separator >file
        separator = ""
        close(file)
    }
}
