-- SPDX-License-Identifier: MIT
-- isomat from LuaJIT: matrices on the GPU, with its ffi and nothing compiled.
--
--     local isomat = require("isomat")
--     local gpu = isomat.context()
--     local product = gpu:matrix({{1, 2}, {3, 4}}) * gpu:matrix({{5, 6}, {7, 8}})
--     print(product:totable()[1][1])
--
-- A failure is an error whose value is a table: status (an ISOMAT_ERROR_...), name, message; tostring gives the
-- message, the library's one line. Only the main state may use it, as all of Lua's.
local ffi = require("ffi")
local api = require("isomat.api")

local isomat = {api = api}

-- ------------------------------------------------------------------------------------------ errors

local lib -- the shared library, opened by the first call that needs it

local Error = {}
Error.__index = Error
Error.__tostring = function(self)
    return self.message
end

local function fail(status, message)
    local name = status ~= 0 and ffi.string(lib.isomat_status_name(status)) or ""
    error(setmetatable({status = status, name = name, message = message}, Error), 0)
end

-- Raises the last failure if a status is one.
local function check(status)
    if status ~= 0 then
        fail(status, ffi.string(lib.isomat_error_message()))
    end
end

-- Whether a caught error is isomat's.
function isomat.is_error(value)
    return getmetatable(value) == Error
end

-- ----------------------------------------------------------------------------------------- library

local function version_text(number)
    return ("%d.%d.%d"):format(number / 1000000, number / 1000 % 1000, number % 1000)
end

-- Functions are only added within a major version.
local function check_version(found, path)
    local major = api.ISOMAT_VERSION_MAJOR
    local wanted = major * 1000000 + api.ISOMAT_VERSION_MINOR * 1000 + api.ISOMAT_VERSION_PATCH
    if found < wanted or found >= (major + 1) * 1000000 then
        fail(0, ("%s is version %s, this binding needs %s or later, below %d.0.0"):format(
            path, version_text(found), version_text(wanted), major + 1))
    end
end

-- Opens the library that ISOMAT_LIBRARY names, else the installed one. It is never closed.
local function open()
    if lib then
        return
    end
    local path = os.getenv("ISOMAT_LIBRARY")
    if not path or path == "" then
        path = "libisomat.so.0"
    end
    local opened, library = pcall(ffi.load, path)
    if not opened then
        fail(0, tostring(library))
    end
    local found, version = pcall(function()
        return library.isomat_version()
    end)
    if not found then
        fail(0, path .. " is not isomat: " .. tostring(version))
    end
    check_version(version, path)
    lib = library
end

-- The version of the library in use.
function isomat.version()
    open()
    return ffi.string(lib.isomat_version_string())
end

-- How many objects of isomat exist in this process.
function isomat.live_objects()
    open()
    return tonumber(lib.isomat_live_objects())
end

local function fill(type, func, ...)
    local info = ffi.new(type)
    info.struct_size = ffi.sizeof(info)
    check(func(info, ...))
    return info
end

-- About a device: a struct of isomat.h; its name is ffi.string(info.name).
function isomat.device_info(device)
    open()
    return fill("isomat_device_info", lib.isomat_device_get_info, device or 0)
end

-- ----------------------------------------------------------------------------------------- objects
-- An object is a C struct with its handle, so that compiled traces call the library as C does, with nothing
-- allocated. It is closed by close(), or when it is collected or the state ends; in any order and twice. A closed
-- object keeps its handle: the library refuses it by name.

ffi.cdef([[
typedef struct { uint64_t handle; bool closed; } isomat_lua_context;
typedef struct { uint64_t handle; bool closed; } isomat_lua_event;
typedef struct { uint64_t handle; bool closed; int64_t rows, cols; } isomat_lua_matrix;
typedef struct { uint64_t handle; bool closed; } isomat_lua_module;
typedef struct { uint64_t handle; bool closed; } isomat_lua_kernel;
]])

-- Declares a type of object. The methods' table may grow later.
local function class(kind, methods, operators)
    local destroy = "isomat_" .. kind .. "_destroy"
    function methods:close()
        if not self.closed then
            self.closed = true
            check(lib[destroy](self.handle))
        end
    end
    operators = operators or {}
    operators.__index = methods
    operators.__gc = function(self)
        if not self.closed and self.handle ~= 0 then
            self.closed = true
            lib[destroy](self.handle) -- nobody could catch an error from here
        end
    end
    operators.__tostring = function(self)
        return ("isomat %s %x%s"):format(kind, tonumber(self.handle), self.closed and " (closed)" or "")
    end
    return ffi.metatype("isomat_lua_" .. kind, operators)
end

local slot = ffi.new("uint64_t[1]") -- for handles that functions write

local Context, Event, Matrix, Module, Kernel = {}, {}, {}, {}, {}
local new_context, new_event, new_matrix, new_module, new_kernel

-- ----------------------------------------------------------------------------------------- context

-- The primary context of a device, which other libraries of the process share.
function isomat.context(device)
    open()
    check(lib.isomat_context_create(slot, device or 0, api.ISOMAT_CONTEXT_PRIMARY))
    return new_context(slot[0])
end

-- Waits for all of its work.
function Context:synchronize()
    check(lib.isomat_context_synchronize(self.handle))
end

-- Rows of numbers as an array of float.
local function pack(rows)
    local cols = #rows > 0 and #rows[1] or 0
    local data = ffi.new("float[?]", math.max(#rows * cols, 1))
    for i, row in ipairs(rows) do
        if #row ~= cols then
            error("rows of different lengths", 3)
        end
        for j, value in ipairs(row) do
            data[(i - 1) * cols + j - 1] = value
        end
    end
    return data, #rows, cols
end

-- A float32 matrix, from rows of numbers, or from an ffi array of float with its sizes.
function Context:matrix(data, rows, cols)
    if type(data) == "table" then
        data, rows, cols = pack(data)
    elseif type(data) ~= "cdata" or type(rows) ~= "number" or type(cols) ~= "number" then
        error("rows of numbers, or an array of float with its rows and columns", 2)
    elseif ffi.sizeof(data) ~= rows * cols * 4 then
        error(("%d bytes are not %d x %d of float"):format(tonumber(ffi.sizeof(data)), rows, cols), 2)
    end
    check(lib.isomat_matrix_from_host(slot, self.handle, data, rows, cols, cols, api.ISOMAT_TYPE_F32, 0))
    return new_matrix(slot[0], false, rows, cols)
end

-- A matrix whose elements are equal.
function Context:full(rows, cols, value)
    check(lib.isomat_matrix_create(slot, self.handle, rows, cols, api.ISOMAT_TYPE_F32, 0))
    local matrix = new_matrix(slot[0], false, rows, cols)
    matrix:fill(value)
    return matrix
end

-- An event that measures time.
function Context:event()
    check(lib.isomat_event_create(slot, self.handle, 1))
    return new_event(slot[0])
end

-- A module from a file: a fatbin, a cubin or PTX.
function Context:load(path)
    check(lib.isomat_module_load_file(slot, self.handle, path))
    return new_module(slot[0])
end

-- The same from its bytes.
function Context:load_data(image)
    check(lib.isomat_module_load_data(slot, self.handle, image, #image))
    return new_module(slot[0])
end

-- ------------------------------------------------------------------------------------------ events

-- Marks the present end of the context's default stream.
function Event:record()
    check(lib.isomat_event_record(self.handle, 0))
end

local milliseconds = ffi.new("double[1]")

-- Milliseconds on the device's clock.
function Event:elapsed_since(start)
    check(lib.isomat_event_elapsed(milliseconds, start.handle, self.handle))
    return milliseconds[0]
end

-- ---------------------------------------------------------------------------------------- matrices

local function expect_matrix(value)
    if not ffi.istype("isomat_lua_matrix", value) then
        error(("%s is not a matrix of isomat"):format(type(value)), 3)
    end
end

-- self = alpha * a * b + beta * self. Submitted, and not waited for.
function Matrix:multiply(a, b, alpha, beta)
    expect_matrix(a)
    expect_matrix(b)
    slot[0] = self.handle
    check(lib.isomat_gemm(slot, alpha or 1, a.handle, api.ISOMAT_OP_N, b.handle, api.ISOMAT_OP_N, beta or 0,
        api.ISOMAT_COMPUTE_F32, api.ISOMAT_NONE))
    return self
end

-- The product, a new matrix.
local function product(a, b)
    expect_matrix(a)
    expect_matrix(b)
    slot[0] = api.ISOMAT_NONE
    check(lib.isomat_gemm(slot, 1, a.handle, api.ISOMAT_OP_N, b.handle, api.ISOMAT_OP_N, 0,
        api.ISOMAT_COMPUTE_F32, api.ISOMAT_NONE))
    return new_matrix(slot[0], false, a.rows, b.cols)
end

-- Sets every element.
function Matrix:fill(value)
    check(lib.isomat_matrix_fill(self.handle, value, 0))
end

-- Its elements as an ffi array of float. Waits for the matrix.
function Matrix:data()
    local data = ffi.new("float[?]", math.max(tonumber(self.rows * self.cols), 1))
    check(lib.isomat_matrix_to_host(data, self.cols, self.handle, 0))
    return data
end

-- Its rows as tables of numbers. Waits for the matrix.
function Matrix:totable()
    local data, rows, cols = self:data(), tonumber(self.rows), tonumber(self.cols)
    local result = {}
    for i = 1, rows do
        local row = {}
        for j = 1, cols do
            row[j] = data[(i - 1) * cols + j - 1]
        end
        result[i] = row
    end
    return result
end

-- The device address of the first element, for kernels.
function Matrix:pointer()
    check(lib.isomat_matrix_get_pointer(slot, self.handle))
    return slot[0]
end

-- ----------------------------------------------------------------------------------------- kernels

-- A kernel by its name in the image: extern "C", or mangled. The kernel keeps its module.
function Module:kernel(name)
    check(lib.isomat_kernel_get(slot, self.handle, name))
    return new_kernel(slot[0])
end

-- What it needs: registers, debug (1 if it was built with -G), … of isomat_kernel_info.
function Kernel:info()
    return fill("isomat_kernel_info", lib.isomat_kernel_get_info, self.handle)
end

local function triple(size)
    if type(size) == "number" then
        return size, 1, 1
    end
    return size[1], size[2] or 1, size[3] or 1
end

-- An argument as a C array of one.
local function cell(value)
    if ffi.istype("isomat_lua_matrix", value) then
        return ffi.new("uint64_t[1]", value:pointer())
    elseif type(value) == "cdata" then
        return ffi.new(ffi.typeof("$[1]", ffi.typeof(value)), value)
    end
    error(("%s is no argument of a kernel: give ffi.new('float', x) or the like"):format(type(value)), 4)
end

-- A launch to call again and again: grid of blocks and block of threads, each a number or {x, y, z}, and an argument
-- for each parameter: a matrix, or a C value such as ffi.new("float", 0.5).
function Kernel:prepare(grid, block, ...)
    local count = select("#", ...)
    local launch = ffi.new("isomat_launch", {struct_size = ffi.sizeof("isomat_launch")})
    launch.grid_x, launch.grid_y, launch.grid_z = triple(grid)
    launch.block_x, launch.block_y, launch.block_z = triple(block)
    local cells = {}
    local pointers, sizes = ffi.new("const void *[?]", count + 1), ffi.new("int64_t[?]", count + 1)
    for i = 1, count do
        cells[i] = cell((select(i, ...)))
        pointers[i - 1], sizes[i - 1] = cells[i], ffi.sizeof(cells[i])
    end
    local kernel = self
    return function()
        local _ = cells -- kept as long as this function
        check(lib.isomat_kernel_launch(kernel.handle, launch, pointers, count, sizes))
    end
end

-- Submits it once. As prepare.
function Kernel:launch(grid, block, ...)
    self:prepare(grid, block, ...)()
end

new_context, new_event = class("context", Context), class("event", Event)
new_matrix = class("matrix", Matrix, {__mul = product})
new_module, new_kernel = class("module", Module), class("kernel", Kernel)

return isomat
