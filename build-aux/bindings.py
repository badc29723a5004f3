#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the lowest layer of a binding from isomat.h: constants, structs and prototypes.

    bindings.py fortran include/isomat.h > examples/fortran/isomat_api.f90
    bindings.py java include/isomat.h > examples/java/isomat/Api.java
    bindings.py lua include/isomat.h > examples/luajit/isomat/api.lua
    bindings.py python include/isomat.h > examples/python/isomat/_api.py
    bindings.py ruby include/isomat.h > examples/ruby/isomat/api.rb
    bindings.py rust include/isomat.h > examples/rust/src/api.rs

All of the header has to be understood: text that is none of the forms below is an error and not
left out, so that a new form cannot be missed.
"""
import re
import sys
import textwrap
from typing import NamedTuple, NoReturn


class Constant(NamedTuple):
    name: str
    value: int


class Variable(NamedTuple):
    """A parameter, or a field of a struct."""

    type: str  # "const char *", one space before the stars
    name: str
    length: int = 0  # in elements, if it is an array


class Struct(NamedTuple):
    name: str
    fields: list


class Function(NamedTuple):
    name: str
    result: str
    parameters: list


class Api:
    """What a header declares, in its order."""

    def __init__(self) -> None:
        self.constants: list = []
        self.handles: list = []
        self.structs: list = []
        self.functions: list = []


# ------------------------------------------------------------------------------------- the header

DEFINE = re.compile(r"#define (ISOMAT_[A-Z0-9_]+)\s+\(?(-?[0-9]+)\)?$")
# The guard, the includes, and the definition of ISOMAT_API, which stands between the lines of an #if.
PREPROCESSOR = re.compile(r"#(ifndef|ifdef|if|else|endif|include)\b|#define ISOMAT_(H|API\b.*)$")
LINKAGE = re.compile(r'extern "C" \{|\}')
STATEMENT = re.compile(r"\s*(typedef struct (?P<tag>\w+) \{(?P<fields>[^}]*)\} (?P=tag)|[^;{}]+);", re.S)
FUNCTION = re.compile(r"ISOMAT_API (?P<result>.*?)(?P<name>\w+)\((?P<parameters>.*)\)$")
VARIABLE = re.compile(r"(?P<type>.*?)(?P<name>\w+)(\[(?P<count>\d+)\])?$")


def fail(text: str) -> NoReturn:
    sys.exit(f"bindings.py: not understood: {' '.join(text.split())[:100]}")


def without_comments(text: str) -> str:
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S)


def without_directives(text: str, api: Api) -> str:
    """Takes the constants down; what remains is C."""
    remaining, in_linkage = [], False
    for line in text.replace("\\\n", " ").splitlines():
        line = line.strip()
        constant = DEFINE.match(line)
        if constant:
            api.constants.append(Constant(constant[1], int(constant[2])))
        elif line.startswith("#"):
            in_linkage = line == "#ifdef __cplusplus"
            if not PREPROCESSOR.match(line):
                fail(line)
        elif not (in_linkage and LINKAGE.fullmatch(line)):
            remaining.append(line)
    return "\n".join(remaining)


def spaced(type_text: str) -> str:
    """A type in one spelling: 'const void *const *'."""
    return " ".join(type_text.replace("*", " * ").split()).replace("* *", "**").replace("* const *", "*const *")


def read_variable(text: str, type_before: str = "") -> Variable:
    match = VARIABLE.match(text.strip())
    type_text = match and (spaced(match["type"]) or type_before)
    if not match or not type_text:
        fail(text)
    return Variable(type_text, match["name"], int(match["count"] or 0))


def read_fields(text: str) -> list:
    """The fields of a struct; 'int32_t x, y' is two."""
    fields: list = []
    for declaration in filter(str.strip, text.split(";")):
        type_before = ""
        for part in declaration.split(","):
            fields.append(read_variable(part, type_before))
            type_before = fields[-1].type
    return fields


def read_statement(text: str, match: re.Match, api: Api) -> None:
    if match["tag"]:
        api.structs.append(Struct(match["tag"], read_fields(match["fields"])))
        return
    text = " ".join(text.split())
    if text.startswith("typedef uint64_t "):
        api.handles.append(text.split()[-1])
        return
    function = FUNCTION.match(text)
    if not function:
        fail(text)
    parameters = function["parameters"]
    parsed = [] if parameters == "void" else [read_variable(each) for each in parameters.split(",")]
    api.functions.append(Function(function["name"], spaced(function["result"]), parsed))


def read(text: str) -> Api:
    api = Api()
    text = without_directives(without_comments(text), api)
    position = 0
    while text[position:].strip():
        match = STATEMENT.match(text, position)
        if not match:
            fail(text[position:])
        read_statement(match[1], match, api)
        position = match.end()
    check_types(api)
    return api


# ------------------------------------------------------------------------------------------- types

SCALARS = {
    # C: (ctypes, Rust, Fortran and Java, which have no unsigned numbers)
    "int32_t": ("c_int32", "i32", "integer(c_int32_t)", "int"),
    "int64_t": ("c_int64", "i64", "integer(c_int64_t)", "long"),
    "uint8_t": ("c_uint8", "u8", "integer(c_int8_t)", "byte"),
    "uint32_t": ("c_uint32", "u32", "integer(c_int32_t)", "int"),
    "uint64_t": ("c_uint64", "u64", "integer(c_int64_t)", "long"),
    "double": ("c_double", "f64", "real(c_double)", "double"),
    "char": ("c_char", "c_char", "character(kind=c_char)", "byte"),
}
PYTHON, RUST, FORTRAN, JAVA = 0, 1, 2, 3
POINTERS_TO_POINTERS = ("void **", "const void *const *")
WIDE = "ISOMAT_NONE"  # the one constant that is a handle


def without_pointer(text: str) -> str:
    return text.replace("const ", "").replace(" *", "")


def scalar(api: Api, name: str, language: int) -> str:
    """A type without a star."""
    return SCALARS["uint64_t" if name in api.handles else name][language]


def is_struct(api: Api, name: str) -> bool:
    return any(name == struct.name for struct in api.structs)


def check_type(api: Api, text: str) -> None:
    """Scalars, pointers to scalars, structs and void, and few pointers to pointers are all that there is."""
    base = without_pointer(text)
    only_pointed_to = base == "void" or is_struct(api, base)
    if text in POINTERS_TO_POINTERS:
        return
    if not (only_pointed_to or base in SCALARS or base in api.handles) or text.count("*") > 1:
        fail(text)
    if only_pointed_to and "*" not in text:
        fail(text)


def check_types(api: Api) -> None:
    for struct in api.structs:
        for field in struct.fields:
            check_type(api, field.type)
            if "*" in field.type:
                fail(field.type)
    for function in api.functions:
        for text in [function.result, *(parameter.type for parameter in function.parameters)]:
            check_type(api, text)


# ------------------------------------------------------------------------------------------ Python


def python_type(api: Api, text: str) -> str:
    fixed = {
        "const char *": "c_char_p",
        "void *": "c_void_p",
        "const void *": "c_void_p",
        "void **": "POINTER(c_void_p)",
        "const void *const *": "POINTER(c_void_p)",
    }
    if text in fixed:
        return fixed[text]
    base = without_pointer(text)
    name = base if is_struct(api, base) else scalar(api, base, PYTHON)
    return f"POINTER({name})" if "*" in text else name


def write_python(api: Api) -> list:
    lines = [
        "# SPDX-License-Identifier: MIT",
        "# Written by build-aux/bindings.py from isomat.h; not to be edited.",
        '"""isomat.h for ctypes, names as there. The header is the manual."""',
        "from ctypes import POINTER, Structure, c_char, c_char_p, c_double, c_int32, c_int64",
        "from ctypes import c_uint8, c_uint32, c_uint64, c_void_p",
        "",
    ]
    lines += [f"{name} = {value}" for name, value in api.constants]
    for name, fields in api.structs:
        lines += ["", "", f"class {name}(Structure):", "    _fields_ = ["]
        for field in fields:
            element = python_type(api, field.type)
            lines.append(f'        ("{field.name}", {element}{f" * {field.length}" if field.length else ""}),')
        lines.append("    ]")
    lines += ["", "", "# name: (result, parameters)", "PROTOTYPES = {"]
    for name, result, parameters in api.functions:
        types = ", ".join(python_type(api, parameter.type) for parameter in parameters)
        entry = f'    "{name}": ({python_type(api, result)}, [{types}]),'
        lines += textwrap.wrap(entry, 110, subsequent_indent=" " * 8, break_long_words=False)
    return [*lines, "}"]


# -------------------------------------------------------------------------------------------- Rust


def rust_name(name: str) -> str:
    keywords = "as fn impl in loop match mod move mut pub ref self super trait type use where"
    return f"r#{name}" if name in keywords.split() else name


def rust_type(api: Api, text: str) -> str:
    if text == "const void *const *":
        return "*const *const c_void"
    if text == "void **":
        return "*mut *mut c_void"
    base = without_pointer(text)
    name = "c_void" if base == "void" else base if is_struct(api, base) else scalar(api, base, RUST)
    if "*" not in text:
        return name
    return f"*{'const' if text.startswith('const ') else 'mut'} {name}"


def write_rust(api: Api) -> list:
    lines = [
        "// SPDX-License-Identifier: MIT",
        "// Written by build-aux/bindings.py from isomat.h; not to be edited.",
        "//! isomat.h, names as there. The header is the manual. A handle is a u64.",
        "#![allow(non_camel_case_types, dead_code)]",
        "",
        "use std::ffi::c_void;",
        "use std::os::raw::c_char;",
        "",
    ]
    lines += [f"pub const {name}: {'u64' if name == WIDE else 'i32'} = {value};" for name, value in api.constants]
    for name, fields in api.structs:
        lines += ["", "#[repr(C)]", "#[derive(Clone, Copy, Debug)]", f"pub struct {name} {{"]
        for field in fields:
            element = rust_type(api, field.type)
            whole = f"[{element}; {field.length}]" if field.length else element
            lines.append(f"    pub {rust_name(field.name)}: {whole},")
        lines.append("}")
    lines += ["", "functions! {", "    /// All of isomat.h.", "    struct Isomat {"]
    for name, result, parameters in api.functions:
        types = ", ".join(rust_type(api, parameter.type) for parameter in parameters)
        lines.append(f"        fn {name}({types}) -> {rust_type(api, result)};")
    return [*lines, "    }", "}"]


# ---------------------------------------------------------------------------------------- Fortran


def fortran_declaration(api: Api, parameter: Variable) -> str:
    """A parameter, by value or by reference; where C takes a pointer to one value, Fortran may leave the
    argument out, which is a null pointer."""
    text, name = parameter.type, parameter.name
    fixed = {
        "const char *": f"character(kind=c_char), intent(in) :: {name}(*)",
        "char *": f"character(kind=c_char), intent(inout) :: {name}(*)",
        "void *": f"type(c_ptr), value :: {name}",
        "const void *": f"type(c_ptr), value :: {name}",
        "void **": f"type(c_ptr), intent(inout) :: {name}",
        "const void *const *": f"type(c_ptr), intent(in) :: {name}(*)",
    }
    if text in fixed:
        return fixed[text]
    base = without_pointer(text)
    if is_struct(api, base):
        return f"type({base}), intent({'in' if text.startswith('const ') else 'inout'}) :: {name}"
    element = scalar(api, base, FORTRAN)
    if "*" not in text:
        return f"{element}, value :: {name}"
    if text.startswith("const "):
        return f"{element}, intent(in), optional :: {name}(*)"
    return f"{element}, intent(inout), optional :: {name}"


def fortran_lines(text: str, indent: str) -> list:
    """A statement on lines that are short enough for the language."""
    wrapped = textwrap.wrap(text, 106, initial_indent=indent, subsequent_indent=indent + "    ")
    return [f"{line} &" for line in wrapped[:-1]] + wrapped[-1:]


def write_fortran(api: Api) -> list:
    lines = [
        "! SPDX-License-Identifier: MIT",
        "! Written by build-aux/bindings.py from isomat.h; not to be edited.",
        "! isomat.h for iso_c_binding, names as there. The header is the manual. A handle is an integer(c_int64_t).",
        "module isomat_api",
        "    use, intrinsic :: iso_c_binding",
        "    implicit none",
        "    public",
        "",
    ]
    for name, value in api.constants:
        lines.append(f"    integer(c_int{64 if name == WIDE else 32}_t), parameter :: {name} = {value}")
    for name, fields in api.structs:
        lines += ["", f"    type, bind(c) :: {name}"]
        for field in fields:
            length = f"({field.length})" if field.length else ""
            lines.append(f"        {scalar(api, field.type, FORTRAN)} :: {field.name}{length}")
        lines.append(f"    end type {name}")
    lines += ["", "    interface"]
    for name, result, parameters in api.functions:
        names = ", ".join(parameter.name for parameter in parameters)
        lines += fortran_lines(f"function {name}({names}) bind(c)", " " * 8)
        lines += [" " * 12 + "import"]
        lines += [" " * 12 + fortran_declaration(api, parameter) for parameter in parameters]
        type_text = "type(c_ptr)" if "*" in result else scalar(api, result, FORTRAN)
        lines += [f"{' ' * 12}{type_text} :: {name}", f"        end function {name}"]
    return [*lines, "    end interface", "end module isomat_api"]


# -------------------------------------------------------------------------------------------- Lua


def c_variable(variable: Variable) -> str:
    separator = "" if variable.type.endswith("*") else " "
    return f"{variable.type}{separator}{variable.name}{f'[{variable.length}]' if variable.length else ''}"


def write_lua(api: Api) -> list:
    lines = [
        "-- SPDX-License-Identifier: MIT",
        "-- Written by build-aux/bindings.py from isomat.h; not to be edited.",
        "-- isomat.h for LuaJIT's ffi, names as there: declares types and functions, returns the constants.",
        'require("ffi").cdef([[',
    ]
    lines += [f"typedef uint64_t {name};" for name in api.handles]
    for name, fields in api.structs:
        lines += ["", f"typedef struct {name} {{"]
        lines += [f"    {c_variable(field)};" for field in fields]
        lines.append(f"}} {name};")
    lines.append("")
    for name, result, parameters in api.functions:
        types = ", ".join(map(c_variable, parameters)) or "void"
        statement = f"{c_variable(Variable(result, name))}({types});"
        lines += textwrap.wrap(statement, 110, subsequent_indent=" " * 4, break_long_words=False)
    lines += ["]])", "", "return {"]
    lines += [f"    {name} = {value}," for name, value in api.constants]
    return [*lines, "}"]


# -------------------------------------------------------------------------------------------- Ruby


def fiddle_type(api: Api, text: str) -> str:
    """Fiddle reads C, but neither isomat's names nor where a pointer goes."""
    if "*" in text:
        return text if text == "const char *" else "void *"
    return "uint64_t" if text in api.handles else text


def write_ruby(api: Api) -> list:
    lines = [
        "# frozen_string_literal: true",
        "",
        "# SPDX-License-Identifier: MIT",
        "# Written by build-aux/bindings.py from isomat.h; not to be edited.",
        "",
        "module Isomat",
        "  # isomat.h for Fiddle, names as there. The header is the manual. A handle is a uint64_t.",
        "  module Api",
    ]
    lines += [f"    {name} = {value}" for name, value in api.constants]
    lines += ["", "    STRUCTS = {"]
    for name, fields in api.structs:
        types = [c_variable(each._replace(type=fiddle_type(api, each.type))) for each in fields]
        lines += [f"      {name}: [", *(f'        "{each}",' for each in types), "      ],"]
    lines += ["    }.freeze", "", "    FUNCTIONS = ["]
    for name, result, parameters in api.functions:
        types = [fiddle_type(api, each.type) for each in parameters]
        function = c_variable(Variable(fiddle_type(api, result), name))
        lines.append(f'      "{function}({", ".join(types) or "void"})",')
    return [*lines, "    ].freeze", "  end", "end"]


# -------------------------------------------------------------------------------------------- Java


def java_type(api: Api, text: str) -> str:
    fixed = {
        "const char *": "String",
        "char *": "byte[]",
        "void *": "Buffer",
        "const void *": "Buffer",
        "void **": "long[]",
        "const void *const *": "Pointer",
    }
    base = without_pointer(text)
    if text in fixed:
        return fixed[text]
    if is_struct(api, base) or text.startswith("const "):
        return "Pointer"
    return scalar(api, base, JAVA) + ("[]" if "*" in text else "")


def java_lines(text: str) -> list:
    """A type and its name, joined by ~, stay on one line."""
    lines = textwrap.wrap("    " + text, 110, subsequent_indent=" " * 12, break_long_words=False)
    return [line.replace("~", " ") for line in lines]


def write_java(api: Api) -> list:
    lines = [
        "// SPDX-License-Identifier: MIT",
        "// Written by build-aux/bindings.py from isomat.h; not to be edited.",
        "package isomat;",
        "",
        "import com.sun.jna.Pointer;",
        "import com.sun.jna.Structure;",
        "import com.sun.jna.Structure.FieldOrder;",
        "import java.nio.Buffer;",
        "",
        "/** isomat.h for JNA's direct mapping, names as there. The header is the manual. A handle is a long. */",
        "public final class Api {",
        "    private Api() {}",
        "",
    ]
    for name, value in api.constants:
        lines.append(f"    public static final {'long' if name == WIDE else 'int'} {name} = {value};")
    for name, fields in api.structs:
        names = ", ".join(f'"{field.name}"' for field in fields)
        lines += ["", *java_lines(f"@FieldOrder({{{names}}})")]
        lines.append(f"    public static final class {name} extends Structure {{")
        for field in fields:
            element = java_type(api, field.type)
            array = f"[] {field.name} = new {element}[{field.length}]" if field.length else f" {field.name}"
            lines.append(f"        public {element}{array};")
        lines.append("    }")
    lines.append("")
    for name, result, parameters in api.functions:
        types = ", ".join(f"{java_type(api, each.type)}~{each.name}" for each in parameters)
        lines += java_lines(f"static native {java_type(api, result)} {name}({types});")
    return [*lines, "}"]


WRITERS = {
    "fortran": write_fortran,
    "java": write_java,
    "lua": write_lua,
    "python": write_python,
    "ruby": write_ruby,
    "rust": write_rust,
}


def main(arguments: list) -> None:
    if len(arguments) != 2 or arguments[0] not in WRITERS:
        sys.exit(f"usage: bindings.py {'|'.join(WRITERS)} HEADER")
    with open(arguments[1], encoding="utf-8") as header:
        api = read(header.read())
    print("\n".join(WRITERS[arguments[0]](api)))


if __name__ == "__main__":
    main(sys.argv[1:])
