# SPDX-License-Identifier: BSD-3-Clause
"""Medians with intervals that assume nothing about the noise, and geometric means."""
import math
import statistics


def median(values):
    return statistics.median(values) if values else None


def interval(values, level=0.95):
    """(low, high, coverage): the narrowest pair of order statistics, symmetric around the median,
    that covers the true median with at least `level`; for few values the range and its coverage."""
    ordered = sorted(values)
    n = len(ordered)
    if n == 0:
        return None, None, 0.0
    best = 0
    for k in range(n // 2):
        if coverage(n, k) >= level:
            best = k
    return ordered[best], ordered[n - 1 - best], coverage(n, best)


def coverage(n, k):
    """Probability that the median lies between the (k+1)-th smallest and (k+1)-th largest of n."""
    return 1 - 2 * sum(math.comb(n, i) for i in range(k + 1)) / 2 ** n if n > 1 else 0.0


def geometric_mean(values):
    good = [v for v in values if v is not None]
    if not good or any(v <= 0 for v in good):
        return None
    return math.exp(sum(math.log(v) for v in good) / len(good))
