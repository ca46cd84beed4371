"""The training loss and the metrics of one batch."""

import jax
import jax.numpy as jnp


def cross_entropy(
    logits: jax.Array, labels: jax.Array, label_smoothing: jax.Array | float | None = None
) -> jax.Array:
    """Returns the cross entropy of each example, in nats.

    With label smoothing alpha the target of the true class is 1 - alpha and that of each of the
    K - 1 others alpha / (K - 1), as in Shallue et al. 2019 (optax spreads alpha over all K).

    Args:
        logits: [examples, classes].
        labels: [examples], integers.
        label_smoothing: alpha in [0, 1), or None for none.

    Returns:
        [examples].
    """
    log_probabilities = jax.nn.log_softmax(logits)
    true_class = jnp.take_along_axis(log_probabilities, labels[:, None], axis=1)[:, 0]
    if label_smoothing is None:
        return -true_class
    other_classes = log_probabilities.sum(axis=1) - true_class
    off_value = label_smoothing / (logits.shape[1] - 1)
    return -((1 - label_smoothing) * true_class + off_value * other_classes)


def classification_errors(logits: jax.Array, labels: jax.Array) -> jax.Array:
    """Returns where logits [n, classes] miss labels [n]: booleans [n]."""
    return jnp.argmax(logits, axis=1) != labels
