"""Plain NumPy and Python implementations of the engine, written from its contracts alone.

They are slow and share no code with the package: `tests/engine` demands that the two agree to the
last bit.
"""

import hashlib

import numpy as np

MASK = 2**64 - 1


def key(seed, purpose):
    text = f"supersample:{purpose}:{seed}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little")


def word(stream, replicate, position):
    """SplitMix64 of the counter replicate * 2**20 + position."""
    z = (stream + (replicate * 2**20 + position) * 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def uniform(stream, replicate, position):
    return (word(stream, replicate, position) >> 11) * 2.0**-53


def bits(stream, replicate, threshold, units):
    """Whether each unit's uniform number lies below threshold / 2**32, digit by digit.

    A unit's number has its binary digits in the layers' words, complemented: the digits decide from
    the first one at which number and threshold differ.
    """
    out = np.zeros(units, dtype=bool)
    for unit in range(units):
        w, place = divmod(unit, 64)
        below = False  # equal numbers are not below
        for layer in range(32):
            digit = threshold >> (31 - layer) & 1
            drawn = 1 - (word(stream, replicate, layer * 2**15 + w) >> place & 1)
            if digit != drawn:
                below = digit > drawn
                break
        out[unit] = below if threshold < 2**32 else True
    return out


def total(first, second, chosen):
    """Totals of one hybrid in the documented order of summation; (units, columns) to (columns,)."""
    units, columns = first.shape
    base = np.zeros(columns)
    for row in second:
        base = base + row
    padded = -(-units // 32) * 32
    differences = np.zeros((padded, columns))
    differences[:units] = np.where(chosen[:, np.newaxis], first - second, 0.0)
    nibbles = np.zeros((padded // 4, columns))
    for place in (3, 2, 1, 0):
        nibbles = nibbles + differences[place::4]
    byte = nibbles[0::2] + nibbles[1::2]
    words = (byte[0::4] + byte[1::4]) + (byte[2::4] + byte[3::4])
    masked = np.zeros(columns)
    for row in words:
        masked = masked + row
    return base + masked


def pair_of(design, seed, replicate, systems):
    """First and second system and the threshold of the first one's share."""
    pairs = [(a, b) for a in range(systems) for b in range(a + 1, systems)]
    if design.pairs == "balanced":
        cycle, place = divmod(replicate, len(pairs))
        swapped = cycle % 2 == 1
    else:
        stream = key(seed, "pair")
        place = int(uniform(stream, replicate, 0) * len(pairs))
        swapped = uniform(stream, replicate, 1) < 0.5
    if design.share == "uniform":
        share = uniform(key(seed, "share"), replicate, 0)
    else:
        share = 1 - design.share if swapped else design.share
    return (*pairs[place], int(share * 2**32))


def mix_total(values, seed, replicate):
    """Totals of one mix of all systems, units added in order."""
    systems, units, columns = values.shape
    stream = key(seed, "mix")
    sums = np.zeros(columns)
    for unit in range(units):
        drawn = word(stream, replicate, unit // 2) >> (32 * (unit % 2)) & 0xFFFFFFFF
        sums = sums + values[drawn * systems >> 32, unit]
    return sums


def hybrid_total(values, design, seed, replicate):
    """Totals of one hybrid of statistics (systems, units, columns)."""
    first, second, threshold = pair_of(design, seed, replicate, values.shape[0])
    chosen = bits(key(seed, "mask"), replicate, threshold, values.shape[1])
    return total(values[first], values[second], chosen)
