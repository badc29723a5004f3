-- SPDX-License-Identifier: MIT
-- clock.lua: what the timed programs share.
local ffi = require("ffi")

ffi.cdef([[
typedef struct { long seconds, nanoseconds; } clock_time;
int clock_gettime(int clock, clock_time *now);
]])

local CLOCK_MONOTONIC = 1
local now = ffi.new("clock_time")
local clock = {}

-- Nanoseconds since some fixed moment.
function clock.ns()
    ffi.C.clock_gettime(CLOCK_MONOTONIC, now)
    return tonumber(now.seconds) * 1e9 + tonumber(now.nanoseconds)
end

-- Sorts the values.
function clock.median(values)
    table.sort(values)
    return (values[math.floor((#values + 1) / 2)] + values[math.floor(#values / 2) + 1]) / 2
end

-- Ends the program with a line on stderr.
function clock.exit(status, message)
    io.stderr:write(message, "\n")
    os.exit(status, true)
end

return clock
