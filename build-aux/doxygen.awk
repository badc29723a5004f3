# SPDX-License-Identifier: MIT
# doxygen.awk: Doxygen's filter for the public headers, whose comments have no marks of its own.
# build-aux/man3.awk tells what their form is.

/^\/\* SPDX/ { print ""; next }

/^\/\* -+ [a-z ]+ \*\/$/ {
    title = $0; gsub(/^\/\* -+ | \*\/$/, "", title)
    group = title; gsub(/ /, "_", group)
    print (grouped++ ? "/** @} */ " : "") "/** @defgroup " group " " toupper(substr(title, 1, 1)) substr(title, 2) " */ /** @{ */"
    next
}

# A comment is held back until it is known what follows.
!in_code && (in_comment || /^\/\*/) {
    if (!in_comment) comment = ""
    line = $0
    in_comment = !sub(/ *\*\/$/, "", line)
    sub(/^\/\* ?|^ \* ?/, "", line)
    comment = comment line "\n"
    held = 1
    next
}

held { held = 0; begin_code(/^$/ ? "none" : /^#if/ ? "head" : "code") }
/^$/ { in_code = 0; documented = "" }
!/^$/ { in_code = 1 }

# Other functions of the same comment.
/^ISOMAT_API/ {
    if (documented != "") print "/** @copydoc " documented " */"
    else if (comment != "") { documented = $0; sub(/\(.*/, "", documented); sub(/.*[ *]/, "", documented) }
}
{ line = $0; if (!/^#(if|else|endif)/) sub(/\/\* /, "/**< ", line); print line; if (/^$/) comment = "" }
END { if (grouped) print "/** @} */" }

function begin_code(what) {
    if (what == "head") {
        if (comment ~ /^isomat\.h/) print "/** @mainpage isomat\n" marked(comment) "*/"
        print "/** @file\n" marked(comment) "*/"
        comment = ""
    } else if (what == "none") {
        print "/** @} */ /** @addtogroup " group "\n" marked(comment) "*/ /** @{ */"
        comment = ""
    } else
        print "/** " marked(comment) "*/"
}

function marked(lines,    count, each, one, line, tag, out, verbatim, item) {
    count = split(lines, each, "\n")
    for (one = 1; one < count; one++) {
        line = each[one]
        if (line ~ /^ / && !item && !verbatim) { out = out "@verbatim\n"; verbatim = 1 }
        if (line !~ /^ / && line != "" && verbatim) { out = out "@endverbatim\n\n"; verbatim = 0 }
        if (verbatim) { out = out line "\n"; continue }
        if (line == "") item = 0
        if (line ~ /^[A-Z][A-Z_]+(, [A-Z][A-Z_]+)*  +/) {
            while (line ~ /^[A-Z_,]+, [A-Z]/) sub(/, /, ",ISOMAT_ERROR_", line)
            out = out "@retval ISOMAT_ERROR_" line "\n"; item = 1
        } else if (line ~ /^[A-Z][a-z]+\.  +/) {
            tag = line; sub(/\..*/, "", tag); sub(/^[^ ]+ +/, "", line)
            out = out "@par " tag "\n" line "\n"; item = 1
        } else if (line ~ /^[A-Z][A-Z ]+$/ && length(line) > 4) {
            out = out "@par " line "\n"
        } else {
            if (line !~ /^ / && item) { out = out "\n"; item = 0 }
            if (match(line, /\.  [A-Z][A-Z_]+  /)) {
                line = substr(line, 1, RSTART) "\n@retval ISOMAT_ERROR_" substr(line, RSTART + 3); item = 1
            }
            out = out line "\n"
        }
    }
    return out (verbatim ? "@endverbatim\n" : "")
}
