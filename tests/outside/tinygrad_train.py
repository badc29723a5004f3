# SPDX-License-Identifier: MIT
"""tinygrad, its PTX renderer: a small network learns exclusive or."""

import numpy as np
from tinygrad import Device, Tensor, TinyJit
from tinygrad.nn import Linear
from tinygrad.nn.optim import Adam
from tinygrad.nn.state import get_parameters

print(Device.DEFAULT, type(Device[Device.DEFAULT].renderer).__name__)
assert Device.DEFAULT.startswith("CUDA")
assert "PTX" in type(Device[Device.DEFAULT].renderer).__name__

x = np.random.default_rng().random((33, 65), dtype=np.float32)
w = np.random.default_rng().random((65, 17), dtype=np.float32)
assert np.allclose((Tensor(x) @ Tensor(w)).numpy(), x @ w, rtol=1e-4)
assert np.allclose(Tensor(x).softmax().numpy().sum(axis=1), 1, rtol=1e-5)


class Network:
    def __init__(self):
        self.first, self.second = Linear(2, 16), Linear(16, 1)

    def __call__(self, x):
        return self.second(self.first(x).tanh())


Tensor.manual_seed(1)
network = Network()
optimizer = Adam(get_parameters(network), lr=0.05)
inputs = Tensor([[0.0, 0], [0, 1], [1, 0], [1, 1]])
labels = Tensor([[0.0], [1], [1], [0]])


@TinyJit
def step():
    optimizer.zero_grad()
    loss = ((network(inputs) - labels) ** 2).mean()
    loss.backward()
    optimizer.step()
    return loss.realize()


losses = [step().item() for _ in range(100)]
print(f"loss {losses[0]:.3f} at first, {losses[-1]:.5f} in the end")
assert losses[-1] < 0.01 < losses[0]
assert (network(inputs).numpy().round() == labels.numpy()).all()
