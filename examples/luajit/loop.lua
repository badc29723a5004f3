-- SPDX-License-Identifier: MIT
-- Multiplies two matrices in a loop and times it.
--
--     luajit loop.lua [size [iterations]]       by default 4096 100
local ffi = require("ffi")
local bit = require("bit")
local clock = require("clock")
local isomat = require("isomat")

local WARM_UP = 3
local LARGEST_SIZE = 65536
local MOST_ITERATIONS = 1000000

-- Random float32, uniform in [-0.5, 0.5): the high bits of a 64-bit linear congruential generator. The loops in
-- every language use this one.
local function random(count, state)
    local data = ffi.new("float[?]", count)
    state = ffi.cast("uint64_t", state)
    for i = 0, count - 1 do
        state = state * 6364136223846793005ULL + 1442695040888963407ULL
        data[i] = tonumber(bit.rshift(state, 40)) / 16777216 - 0.5
    end
    return data
end

-- Compares elements of c with double-precision dot products. An element may be off by what float32 arithmetic may
-- lose in size additions.
local function check(size, a, b, c)
    for row = 0, 6 do -- the corners, the edges and points inside
        for col = 0, 6 do
            local i, j = math.floor((size - 1) * row / 6), math.floor((size - 1) * col / 6)
            local exact, magnitude = 0, 0
            for k = 0, size - 1 do
                local product = a[i * size + k] * b[k * size + j]
                exact, magnitude = exact + product, magnitude + math.abs(product)
            end
            local found = c[i * size + j]
            if not (math.abs(found - exact) <= size * 2 ^ -24 * magnitude) then
                clock.exit(1, ("loop: element (%d, %d) is %.9g, not %.9g"):format(i, j, found, exact))
            end
        end
    end
end

-- Multiplies, synchronizes and closes the result, again and again; gives the line to print.
local function run(size, iterations)
    local gpu = isomat.context()
    local a_data, b_data = random(size * size, 1), random(size * size, 2)
    local a, b = gpu:matrix(a_data, size, size), gpu:matrix(b_data, size, size)
    local started, ended = gpu:event(), gpu:event()
    local device_ms, total_ms = {}, {}
    for i = 1 - WARM_UP, iterations do
        local began = clock.ns()
        started:record()
        local c = a * b
        ended:record()
        gpu:synchronize()
        c:close()
        local total = (clock.ns() - began) / 1e6
        if i > 0 then
            total_ms[i], device_ms[i] = total, ended:elapsed_since(started)
        end
    end
    check(size, a_data, b_data, (a * b):data())
    return ("luajit: %d x %d, %d multiplications, %s: device %.3f ms, with overhead %.3f ms"):format(
        size, size, iterations, ffi.string(isomat.device_info().name), clock.median(device_ms), clock.median(total_ms))
end

local function usage(problem)
    clock.exit(2, (problem or "") .. "usage: loop [size [iterations]]")
end

-- An argument as a number from 1 to most.
local function parse(text, most)
    local number = text:match("^%d+$") and tonumber(text)
    if not number or number < 1 or number > most then
        usage(("loop: '%s' is not a number from 1 to %d\n"):format(text, most))
    end
    return number
end

if #arg > 2 then
    usage()
end
local size = parse(arg[1] or "4096", LARGEST_SIZE)
local iterations = parse(arg[2] or "100", MOST_ITERATIONS)
local done, line = pcall(run, size, iterations)
if not done then
    clock.exit(1, "loop: " .. tostring(line))
end
print(line)
