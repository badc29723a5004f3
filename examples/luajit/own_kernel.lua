-- SPDX-License-Identifier: MIT
-- Launches a kernel of one's own: y += alpha * x, from a fatbin, a cubin or PTX.
--
--     luajit own_kernel.lua [module]            by default ../python/axpy.ptx
local ffi = require("ffi")
local isomat = require("isomat")

local N, BLOCK, ALPHA = 1000, 128, 0.5

local function main(path)
    local gpu = isomat.context()
    local axpy = gpu:load(path):kernel("axpy")
    assert(axpy:info().debug == 0, "the kernel was built with -G: see isomat inspect")
    local data = ffi.new("float[?]", N)
    for i = 0, N - 1 do
        data[i] = i
    end
    local x, y = gpu:matrix(data, 1, N), gpu:full(1, N, 3)
    axpy:launch(math.ceil(N / BLOCK), BLOCK, ffi.new("float", ALPHA), x, y, ffi.new("uint32_t", N))
    local result = y:data()
    for i = 0, N - 1 do
        assert(result[i] == 3 + ALPHA * i, "a wrong result")
    end
    print(("luajit: axpy, %d elements, %d registers"):format(N, axpy:info().registers))
end

local done, problem = pcall(main, arg[1] or arg[0]:match("^(.-)[^/]*$") .. "../python/axpy.ptx")
if not done then
    io.stderr:write("own_kernel: ", tostring(problem), "\n")
    os.exit(1, true)
end
