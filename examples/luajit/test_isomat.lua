-- SPDX-License-Identifier: MIT
-- Errors and ends of objects.
--     luajit test_isomat.lua          the tests
--     luajit test_isomat.lua end      ends the state with everything alive; test.sh looks how that ends
local ffi = require("ffi")
local isomat = require("isomat")

local PTX = arg[0]:match("^(.-)[^/]*$") .. "../python/axpy.ptx"
local gpu = isomat.context()

local function same(found, wanted)
    if type(wanted) ~= "table" then
        return found == wanted
    end
    for i = 1, math.max(#found, #wanted) do
        if not same(found[i], wanted[i]) then
            return false
        end
    end
    return true
end

-- A failure with that status and a line; without a status, an error of Lua's own.
local function refused(name, call, ...)
    local done, problem = pcall(call, ...)
    assert(not done, "not refused: " .. tostring(name))
    assert(isomat.is_error(problem) == (name ~= nil), tostring(problem))
    if name then
        assert(problem.name == "ISOMAT_ERROR_" .. name, problem.name .. ": " .. problem.message)
        assert(tostring(problem) == problem.message and #problem.message > 0 and not problem.message:find("\n"))
    end
end

if arg[1] == "end" then
    _G.kept = {gpu, gpu:full(2, 2, 1), gpu:event(), gpu:load(PTX):kernel("axpy")}
    kept.myself = kept
    local late = newproxy(true) -- closes while the state ends, before or after the others' finalizers
    getmetatable(late).__gc = function()
        for _, each in ipairs(kept) do
            each:close()
        end
    end
    kept.late = late
    kept.thread = coroutine.wrap(function()
        local a = gpu:full(2, 2, 1)
        while true do
            coroutine.yield(a * a)
        end
    end)
    kept.thread()
    print("end")
    return
end

-- Products.
local a, b = gpu:matrix({{1, 2, 3}, {4, 5, 6}}), gpu:matrix({{1, 2}, {3, 4}, {5, 6}})
local c = a * b
assert(same(c:totable(), {{22, 28}, {49, 64}}))
c:multiply(a, b, 2, 0.5)
assert(same(c:totable(), {{55, 70}, {122.5, 160}}))
assert(same(gpu:matrix({}):totable(), {}))
assert(tostring(c):find("^isomat matrix %x+$"))

-- Wrong shapes.
refused("SHAPE_MISMATCH", function() return a * a end)
refused("SHAPE_MISMATCH", c.multiply, a, a, b)
refused("INVALID_ARGUMENT", gpu.full, gpu, -1, 1, 0)
refused(nil, gpu.matrix, gpu, {{1, 2}, {3}})
refused(nil, gpu.matrix, gpu, ffi.new("float[2]"), 1, 3)

-- Wrong types.
refused(nil, function() return a * 2 end)
refused(nil, c.multiply, c, a, gpu)
refused(nil, gpu.matrix, gpu, 1)
refused(nil, gpu.matrix, gpu, {{"one"}})
refused(nil, c.fill, c, "one")
refused("INVALID_ARGUMENT", isomat.context, -1)

-- Closed objects.
local event, other = gpu:event(), isomat.context()
for _, each in ipairs({b, event, other, b, event, other}) do
    each:close()
end
assert(tostring(b):find("closed"))
refused("STALE_HANDLE", b.totable, b)
refused("STALE_HANDLE", function() return a * b end)
refused("STALE_HANDLE", event.record, event)
refused("STALE_HANDLE", other.full, other, 1, 1, 1)
local before = gpu:event()
refused("INVALID_ARGUMENT", before.elapsed_since, before, before)

-- Kernels.
local axpy = gpu:load(PTX):kernel("axpy")
local x, y = gpu:matrix({{1, 2, 3}}), gpu:full(1, 3, 10)
local float, unsigned = ffi.typeof("float"), ffi.typeof("uint32_t")
local launch = axpy:prepare({1, 1}, {32, 1, 1}, float(2), x, y, unsigned(3))
collectgarbage()
launch()
launch()
assert(same(y:totable(), {{14, 18, 22}}))
refused("ARGUMENT_COUNT", axpy.launch, axpy, 1, 32, x, y)
refused("ARGUMENT_SIZE", axpy.launch, axpy, 1, 32, ffi.new("double", 2), x, y, unsigned(3))
refused("INVALID_LAUNCH", axpy.launch, axpy, 0, 32, float(2), x, y, unsigned(3))
refused(nil, axpy.launch, axpy, 1, 32, 2, x, y, 3)
refused("NOT_FOUND", function() return gpu:load(PTX):kernel("fast") end)
refused("FILE", gpu.load, gpu, "absent.ptx")
refused("INVALID_IMAGE", gpu.load_data, gpu, "no module")

-- The collector destroys what was not closed, and closing leaves nothing.
local function make(close)
    for _ = 1, 100 do
        local matrix = gpu:full(2, 2, 1) * gpu:full(2, 2, 1)
        if close then
            matrix:close()
        end
    end
end
make()
collectgarbage()
collectgarbage()
local live = isomat.live_objects()
make()
assert(isomat.live_objects() > live)
make(true)
collectgarbage()
collectgarbage()
assert(isomat.live_objects() == live, "objects are left")
print("luajit: all tests passed")
