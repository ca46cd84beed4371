"""Every test sees two XLA devices, as on a machine with two cores."""

from batchscope.training.devices import configure

configure(host_devices=2)
