"""One trial in one process, as most people would write it: a jitted step per Python iteration.

Trains to the goal or for the given number of steps, evaluating on the sweep's own grid. Prints
JSON: seconds until the first step is done, seconds for the steps after it, steps.
"""

import json
import sys
import time

BEGUN = time.perf_counter()

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import optax  # noqa: E402

from batchscope.data import BatchOrder  # noqa: E402
from batchscope.search import metaparameters  # noqa: E402
from batchscope.spec import load_sweep  # noqa: E402
from batchscope.training.grid import evaluation_steps  # noqa: E402
from batchscope.training.workload import load_workload  # noqa: E402


def main(name: str, batch_size: int, trial_id: int, max_steps: int) -> None:
    """Trains trial `trial_id`."""
    sweep = load_sweep(name)
    workload = load_workload(sweep)
    row = metaparameters(sweep.parameter_configs, seed=sweep.seed, trial_ids=[trial_id])[0]
    values = dict(zip((c.name for c in sweep.parameter_configs), row, strict=True))
    optimizer = workload.make_optimizer({k: jnp.float32(v) for k, v in values.items()})
    train, val = workload.dataset.train, workload.dataset.val
    inputs, labels = map(jnp.asarray, train.fetch(np.arange(len(train))))
    val_inputs, val_labels = map(jnp.asarray, val.fetch(np.arange(len(val))))
    module = workload.module

    @jax.jit
    def start(key):
        parameters = module.init(key, inputs[:1])["params"]
        return parameters, optimizer.init(parameters)

    @jax.jit
    def step(parameters, state, batch):
        def loss(parameters):
            logits = module.apply({"params": parameters}, inputs[batch])
            return optax.softmax_cross_entropy_with_integer_labels(logits, labels[batch]).mean()

        updates, state = optimizer.update(jax.grad(loss)(parameters), state, parameters)
        return optax.apply_updates(parameters, updates), state

    @jax.jit
    def error(parameters):
        logits = module.apply({"params": parameters}, val_inputs)
        return (jnp.argmax(logits, axis=1) != val_labels).mean()

    parameters, state = start(jax.random.key(trial_id))
    order = BatchOrder(examples=len(train), batch_size=batch_size, seed=sweep.seed)
    grid = evaluation_steps(
        sweep.evaluation, batch_size=batch_size, budget_steps=sweep.budget.steps_at(batch_size)
    )
    done, first_step_s = 0, None
    for target in grid:
        for batch in order.window(first_step=done, steps=target - done):
            parameters, state = step(parameters, state, batch)
            if first_step_s is None:
                jax.block_until_ready((parameters, error(parameters)))
                first_step_s = time.perf_counter() - BEGUN
        done = target
        if float(error(parameters)) < sweep.goal.value or done >= max_steps:
            break
    rest_s = time.perf_counter() - BEGUN - first_step_s
    print(json.dumps({"startup_s": first_step_s, "steps_s": rest_s, "steps": done}))


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:5]))
