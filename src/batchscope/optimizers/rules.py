"""The update rules of Shallue et al. 2019, section 2.1, under the metaparameter names they used.

g is the minibatch gradient at the parameters theta, eta the learning rate of the step:

    SGD                  theta <- theta - eta g
    momentum             v <- mu v + g;  theta <- theta - eta v
    Nesterov momentum    v <- mu v + g;  theta <- theta - eta (g + mu v)

Adam is that of Kingma and Ba 2015, algorithm 1, which adds epsilon outside the square root.
Every metaparameter may be a traced scalar.
"""

from collections.abc import Callable

import jax
import optax

Scalar = float | jax.Array
Schedule = Callable[[jax.Array], jax.Array]


def sgd(learning_rate: Schedule, /) -> optax.GradientTransformation:
    """Returns plain stochastic gradient descent."""
    return optax.sgd(learning_rate)


def momentum(learning_rate: Schedule, /, *, momentum: Scalar) -> optax.GradientTransformation:
    """Returns SGD with heavy-ball momentum; the gradient is not damped by (1 - mu)."""
    return optax.sgd(learning_rate, momentum=momentum)


def nesterov_momentum(
    learning_rate: Schedule, /, *, momentum: Scalar
) -> optax.GradientTransformation:
    """Returns SGD with Nesterov momentum."""
    return optax.sgd(learning_rate, momentum=momentum, nesterov=True)


def adam(
    learning_rate: Schedule,
    /,
    *,
    beta1: Scalar = 0.9,
    beta2: Scalar = 0.999,
    epsilon: Scalar = 1e-8,
) -> optax.GradientTransformation:
    """Returns Adam with bias correction."""
    return optax.adam(learning_rate, b1=beta1, b2=beta2, eps=epsilon)


OPTIMIZERS: dict[str, Callable[..., optax.GradientTransformation]] = {
    "sgd": sgd,
    "momentum": momentum,
    "nesterov_momentum": nesterov_momentum,
    "adam": adam,
}
