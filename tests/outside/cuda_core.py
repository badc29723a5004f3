# SPDX-License-Identifier: MIT
"""cuda.core: a kernel compiled to PTX by NVRTC, launched in a stream, timed by events, and in a graph."""

import numpy as np
from cuda.bindings import driver
from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch

SOURCE = """
extern "C" __global__ void saxpy(float a, const float *x, float *y, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
template <typename T> __global__ void total(const T *x, T *out, int n)
{
    __shared__ T sums[256];
    T sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        sum += x[i];
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *out = sums[0];
}
"""


def check(results):
    assert results[0] == driver.CUresult.CUDA_SUCCESS, results[0]
    return results[1:] if len(results) > 2 else results[-1]


device = Device()
device.set_current()
print(device.name, device.compute_capability)
stream = device.create_stream()
arch = f"compute_{device.arch}" if hasattr(device, "arch") else "compute_80"
program = Program(SOURCE, code_type="c++", options=ProgramOptions(std="c++17", arch=arch))
code = program.compile("ptx", name_expressions=("total<int>",))
saxpy, total = code.get_kernel("saxpy"), code.get_kernel("total<int>")

n = 100_003
random = np.random.default_rng()
x, y = random.random(n, dtype=np.float32), random.random(n, dtype=np.float32)
on_device = [check(driver.cuMemAlloc(x.nbytes)) for _ in range(2)]
for pointer, host in zip(on_device, (x, y)):
    check(driver.cuMemcpyHtoDAsync(pointer, host.ctypes.data, host.nbytes, stream.handle))
config = LaunchConfig(grid=(n + 255) // 256, block=256)
launch(stream, config, saxpy, np.float32(3), int(on_device[0]), int(on_device[1]), np.uint64(n))
got = np.empty_like(y)
check(driver.cuMemcpyDtoHAsync(got.ctypes.data, on_device[1], got.nbytes, stream.handle))
stream.sync()
assert np.allclose(got, np.float32(3) * x + y, rtol=1e-6)

# Memory of its own resource, and a template's instance.
numbers = random.integers(0, 1000, 5000, dtype=np.int32)
buffer = device.allocate(numbers.nbytes, stream=stream)
out = device.allocate(4, stream=stream)
check(driver.cuMemcpyHtoDAsync(int(buffer.handle), numbers.ctypes.data, numbers.nbytes, stream.handle))
launch(stream, LaunchConfig(grid=1, block=256), total, buffer, out, np.int32(numbers.size))
result = np.zeros(1, np.int32)
check(driver.cuMemcpyDtoHAsync(result.ctypes.data, int(out.handle), 4, stream.handle))
stream.sync()
assert result[0] == numbers.sum(), (result, numbers.sum())
buffer.close(stream)
out.close(stream)

# The same launch three times over, as a graph that was captured.
check(driver.cuStreamBeginCapture(stream.handle, driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_GLOBAL))
launch(stream, config, saxpy, np.float32(1), int(on_device[0]), int(on_device[1]), np.uint64(n))
graph = check(driver.cuStreamEndCapture(stream.handle))
executable = check(driver.cuGraphInstantiate(graph, 0))
for _ in range(3):
    check(driver.cuGraphLaunch(executable, stream.handle))
again = np.empty_like(y)
check(driver.cuMemcpyDtoHAsync(again.ctypes.data, on_device[1], again.nbytes, stream.handle))
stream.sync()
assert np.allclose(again, got + 3 * x, rtol=1e-5)
check(driver.cuGraphExecDestroy(executable))
check(driver.cuGraphDestroy(graph))
for pointer in on_device:
    check(driver.cuMemFree(pointer))
print("saxpy, a sum and a graph are right")
