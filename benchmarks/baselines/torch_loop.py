"""Trials one after the other in one process: a plain PyTorch loop.

`trials NAME BATCH_SIZE MAX_STEPS TRIAL...` trains the trials to the goal or for the given number
of steps on the sweep's own grid, and prints JSON: seconds per step, evaluations included.
`cnn BATCH_SIZE STEPS` times steps of the Simple CNN and prints JSON: seconds per step.
"""

import json
import sys
import time

import numpy as np
import torch
from torch import nn

from batchscope.data import BatchOrder, load_dataset
from batchscope.search import metaparameters
from batchscope.spec import load_sweep
from batchscope.training.grid import evaluation_steps


def fully_connected() -> nn.Module:
    """fc_64."""
    return nn.Sequential(nn.Flatten(), nn.Linear(784, 64), nn.ReLU(), nn.Linear(64, 10))


def simple_cnn() -> nn.Module:
    """The Simple CNN, base width."""
    return nn.Sequential(
        nn.Conv2d(1, 32, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(7 * 7 * 64, 1024), nn.ReLU(), nn.Linear(1024, 10),
    )  # fmt: skip


def trials(name: str, batch_size: int, max_steps: int, trial_ids: list[int]) -> float:
    """Returns seconds per step over the trials."""
    sweep = load_sweep(name)
    dataset = load_dataset(sweep.dataset)
    inputs, labels = map(torch.from_numpy, dataset.train.fetch(np.arange(len(dataset.train))))
    val_inputs, val_labels = map(torch.from_numpy, dataset.val.fetch(np.arange(len(dataset.val))))
    names = [config.name for config in sweep.parameter_configs]
    rows = metaparameters(sweep.parameter_configs, seed=sweep.seed, trial_ids=trial_ids)
    steps, begun = 0, time.perf_counter()
    for row in rows:
        values = dict(zip(names, row, strict=True))
        model, loss = fully_connected(), nn.CrossEntropyLoss()
        momentum = values.get("momentum", 0.0)
        optimizer = torch.optim.SGD(
            model.parameters(), values["learning_rate"], momentum, nesterov=momentum > 0
        )
        order = BatchOrder(examples=len(labels), batch_size=batch_size, seed=sweep.seed)
        done = 0
        for target in evaluation_steps(
            sweep.evaluation, batch_size=batch_size, budget_steps=sweep.budget.steps_at(batch_size)
        ):
            for batch in torch.from_numpy(order.window(first_step=done, steps=target - done)):
                optimizer.zero_grad()
                loss(model(inputs[batch]), labels[batch].long()).backward()
                optimizer.step()
            steps, done = steps + target - done, target
            with torch.no_grad():
                error = (model(val_inputs).argmax(1) != val_labels).float().mean()
            if error < sweep.goal.value or done >= max_steps:
                break
    return (time.perf_counter() - begun) / steps


def cnn(batch_size: int, steps: int) -> float:
    """Returns seconds per training step, the best of both memory formats."""
    best = float("inf")
    for layout in (torch.contiguous_format, torch.channels_last):
        torch.manual_seed(0)
        model = simple_cnn().to(memory_format=layout)
        images = torch.rand(batch_size, 1, 28, 28).to(memory_format=layout)
        labels, loss = torch.randint(0, 10, (batch_size,)), nn.CrossEntropyLoss()
        optimizer = torch.optim.SGD(model.parameters(), 0.01, 0.9)
        for run in range(3):
            begun = time.perf_counter()
            for _ in range(steps if run else 2):
                optimizer.zero_grad()
                loss(model(images), labels).backward()
                optimizer.step()
            if run:
                best = min(best, (time.perf_counter() - begun) / steps)
    return best


if __name__ == "__main__":
    what, *rest = sys.argv[1:]
    if what == "cnn":
        seconds = cnn(*map(int, rest))
    else:
        seconds = trials(rest[0], int(rest[1]), int(rest[2]), [int(i) for i in rest[3:]])
    print(json.dumps({"step_s": seconds}))
