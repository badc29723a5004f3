-- SPDX-License-Identifier: MIT
-- ten_lines.lua: one product, from numbers and back; copy it and go on from here.
local isomat = require("isomat")

local gpu = isomat.context()
local a = gpu:matrix({{1, 2, 3}, {4, 5, 6}})
local b = gpu:matrix({{1, 2}, {3, 4}, {5, 6}})
local c = a * b
for _, row in ipairs(c:totable()) do
    print(("%g %g"):format(row[1], row[2]))
end
