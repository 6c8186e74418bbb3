"""Writes seeded.txt: what every sampler must draw from seed 2024.

    python3 seeded.py

Written from the module documentation: ChaCha20 from RFC 8439 (64-bit counter and stream number),
and every decision made with mpmath at 1000 bits instead of lazily. So the file also says that the
fast decisions of the crate are those of high precision.
"""

from fractions import Fraction
from math import comb, isqrt
from pathlib import Path
import struct

from mpmath import exp, mp, mpf

mp.prec = 1000
MASK = 0xFFFFFFFF


class Source:
    def __init__(self, key, stream=0):
        self.key, self.stream, self.block, self.bytes = key, stream, 0, b""

    def refill(self):
        start = list(struct.unpack("<4I", b"expand 32-byte k"))
        start += struct.unpack("<8I", self.key)
        start += [self.block & MASK, self.block >> 32, self.stream & MASK, self.stream >> 32]
        x = start[:]

        def quarter(a, b, c, d):
            for p, q, r, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
                x[p] = (x[p] + x[q]) & MASK
                v = x[r] ^ x[p]
                x[r] = ((v << turn) | (v >> (32 - turn))) & MASK

        for _ in range(10):
            for i in range(4):
                quarter(i, 4 + i, 8 + i, 12 + i)
            for i in range(4):
                quarter(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
        self.bytes += struct.pack("<16I", *((a + b) & MASK for a, b in zip(x, start)))
        self.block += 1

    def take(self, n):
        while len(self.bytes) < n:
            self.refill()
        head, self.bytes = self.bytes[:n], self.bytes[n:]
        return head

    def word(self):
        return struct.unpack("<Q", self.take(8))[0]

    def fork(self, label):
        return Source(self.take(32), label)

    def below(self, n):
        if n < 2**64:
            while True:
                wide = self.word() * n
                if wide % 2**64 >= 2**64 % n:
                    return wide >> 64
        while True:
            high = self.word()
            draw = (high << 64 | self.word()) >> (128 - (n - 1).bit_length())
            if draw < n:
                return draw

    def symmetric(self, n):
        return self.below(2 * n + 1) - n


def seed():
    return Source(struct.pack("<Q", 2024) + bytes(24))


def real(x):
    return mpf(x.numerator) / mpf(x.denominator)


def unit(position):
    """The cell of a 63-bit word; no threshold of these files falls inside one."""
    return mpf(position) / mpf(2) ** 63


class Geometric:
    def __init__(self, decay):
        self.decay, self.low_bits = decay, 0
        while decay * 2**self.low_bits <= Fraction(1, 8):
            self.low_bits += 1
        self.ratio = exp(-real(decay * 2**self.low_bits))

    def parts(self, s):
        low = 0
        while self.low_bits:
            low = s.word() >> (64 - self.low_bits)
            if unit(s.word() >> 1) < exp(-real(self.decay * low)):
                break
        word = s.word()
        blocks, tail = 0, self.ratio
        while unit(word >> 1) < tail:
            blocks, tail = blocks + 1, tail * self.ratio
        return low + (blocks << self.low_bits), word & 1

    def draw(self, s):
        return self.parts(s)[0]


class Laplace(Geometric):
    def draw(self, s):
        if self.low_bits == 0:
            word = s.word()
            size, tail = 0, 2 * self.ratio / (1 + self.ratio)
            while unit(word >> 1) < tail:
                size, tail = size + 1, tail * self.ratio
            return -size if word & 1 else size
        while True:
            size, negative = self.parts(s)
            if size or not negative:
                return -size if negative else size


class Gaussian:
    def __init__(self, variance):
        self.variance = variance
        self.t = isqrt(variance.numerator // variance.denominator) + 1
        self.proposal = Laplace(Fraction(1, self.t))

    def draw(self, s):
        while True:
            y = self.proposal.draw(s)
            x = (abs(y) - self.variance / self.t) ** 2 / (2 * self.variance)
            if unit(s.word() >> 1) < exp(-real(x)):
                return y


def cube(s, decay, widths):
    # Coefficients of the points of the m-fold cube over C(m, k), from its values at m = 0, 1, ...
    def points(m):
        product = 1
        for w in widths:
            product *= 2 * m * w + 1
        return product

    d = len(widths)
    odds = 1 / (exp(real(decay)) - 1)
    weights = []
    for k in range(d + 1):
        difference = sum((-1) ** (k - j) * comb(k, j) * points(j) for j in range(k + 1))
        weights.append(difference * odds**k)
    target = unit(s.word() >> 1) * sum(weights)
    k, passed = d, weights[d]
    while target >= passed:
        k -= 1
        passed += weights[k]
    step = Geometric(decay)
    m = k + sum(step.draw(s) for _ in range(k + 1))
    return [s.symmetric(m * w) for w in widths]


def exponential(s, decay, scores):
    weights = [exp(real(decay * q)) for q in scores]
    target = unit(s.word() >> 1) * sum(weights)
    passed = mpf(0)
    for i, weight in enumerate(weights):
        passed += weight
        if target < passed:
            return i


def noisy_max(s, noise, scores):
    best, leader, tied = None, None, 1
    for i, q in enumerate(scores):
        noisy = q + noise.draw(s)
        if best is None or noisy > leader:
            best, leader, tied = i, noisy, 1
        elif noisy == leader:
            tied += 1
            if s.below(tied) == 0:
                best = i
    return best


def lines():
    def line(name, draws):
        return f"{name}: {' '.join(map(str, draws))}"

    s = seed()
    yield line("words", [s.word() for _ in range(4)])
    child = s.fork(9)
    yield line("words of fork 9", [child.word() for _ in range(4)])
    yield line("below 1000", [s.below(1000) for _ in range(12)])
    yield line("below 3 * 2^70", [s.below(3 << 70) for _ in range(3)])
    for name, decay in [("10/3", Fraction(10, 3)), ("1", Fraction(1)), ("1/1000", Fraction(1, 1000)),
                        ("2^-20", Fraction(1, 2**20)), ("2^-50", Fraction(1, 2**50))]:
        for kind, sampler in (("geometric", Geometric(decay)), ("laplace", Laplace(decay))):
            s = seed()
            yield line(f"{kind} {name}", [sampler.draw(s) for _ in range(12)])
    for name, variance in [("1/4", Fraction(1, 4)), ("10000", Fraction(10000)),
                           ("2^80", Fraction(2**80))]:
        s, sampler = seed(), Gaussian(variance)
        yield line(f"gaussian {name}", [sampler.draw(s) for _ in range(12)])
    s = seed()
    yield line("cube 1/1024", sum((cube(s, Fraction(1, 1024), [1] * 3) for _ in range(4)), []))
    s = seed()
    yield line("cube 1/2, half-widths 100 1 7",
               sum((cube(s, Fraction(1, 2), [100, 1, 7]) for _ in range(4)), []))
    scores, quarter = [3, 1, 4, 1, 5, 9, 2, 6], Fraction(1, 4)
    s = seed()
    yield line("exponential 1/4", [exponential(s, quarter, scores) for _ in range(20)])
    for name, noise in [("Geometric", Geometric(quarter)), ("Laplace", Laplace(quarter))]:
        s = seed()
        yield line(f"noisy max {name} 1/4", [noisy_max(s, noise, scores) for _ in range(20)])


(Path(__file__).parent / "seeded.txt").write_text("\n".join(lines()) + "\n")
