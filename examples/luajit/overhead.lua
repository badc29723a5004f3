-- SPDX-License-Identifier: MIT
-- Times the host's side of a call: an empty kernel, and a product of 64 x 64 into a matrix that is there.
--
--     luajit overhead.lua [calls]               by default 100000
local clock = require("clock")
local isomat = require("isomat")

local BATCH = 500
local EMPTY = ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry empty()\n{\nret;\n}\n"

-- The median over batches of the nanoseconds of a call; what waits between batches is not counted.
local function nanoseconds(gpu, calls, call)
    local times = {}
    for batch = 1, math.ceil(calls / BATCH) do
        local began = clock.ns()
        for _ = 1, BATCH do
            call()
        end
        times[batch] = (clock.ns() - began) / BATCH
        gpu:synchronize()
    end
    return clock.median(times)
end

local function run(calls)
    local gpu = isomat.context()
    local empty = gpu:load_data(EMPTY):kernel("empty"):prepare(1, 1)
    local a, b, c = gpu:full(64, 64, 1), gpu:full(64, 64, 1), gpu:full(64, 64, 0)
    local launch = nanoseconds(gpu, calls, empty)
    local product = nanoseconds(gpu, calls, function()
        c:multiply(a, b)
    end)
    return ("luajit: %d calls: empty launch %.0f ns, 64 x 64 product %.0f ns"):format(calls, launch, product)
end

local text = arg[1] or "100000"
local calls = #text < 10 and text:match("^%d+$") and tonumber(text) or 0
if #arg > 1 or calls < 1 then
    clock.exit(2, "usage: overhead [calls]")
end
local done, line = pcall(run, calls)
if not done then
    clock.exit(1, "overhead: " .. tostring(line))
end
print(line)
