"""All pairs of noisy codes beside numpy: the same codes, Hamming distances of every attribute, combined by eq. 19.

    bench/setup_venv.sh && bench/.venv/bin/python bench/consortium_peers.py [BINARY]

The size is that of the digits in Table III of SZY19: 1,797 records, 64 attributes, 1,000 bits each. Two ways to do it with
numpy: products of +1/-1 matrices in 32-bit floats (BLAS, one and two threads), and XOR with bit counts (one thread, on the
first 60 records against all, scaled up). The distances must agree. Then what Shoal says of kCluster and of encoding.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
from threadpoolctl import threadpool_limits

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORDS, ATTRIBUTES, BITS, WORDS = 1797, 64, 1000, 16
EPSILON, MU = 2.0, 100.0
SOME = 60


def decoded_squares(hamming):
    """Squared distances of one attribute (eq. 11)."""
    e = np.exp(EPSILON)
    d = MU / (2 * BITS) * ((e + 1) / (e - 1)) ** 2 * hamming - MU * e / (e - 1) ** 2
    return d * d


def by_products(codes, threads):
    """Seconds and distances by matrix products."""
    with threadpool_limits(threads):
        begin = time.perf_counter()
        total = np.zeros((RECORDS, RECORDS), dtype=np.float32)
        for a in range(ATTRIBUTES):
            bits = np.unpackbits(codes[:, a].view(np.uint8).reshape(RECORDS, -1), axis=1, bitorder="little")[:, :BITS]
            signs = 1.0 - 2.0 * bits.astype(np.float32)
            total += decoded_squares((BITS - signs @ signs.T) / 2).astype(np.float32)
        return time.perf_counter() - begin, np.sqrt(total)


def by_counts(codes):
    """Seconds by XOR and bit counts, scaled up from some records to all pairs."""
    begin = time.perf_counter()
    for i in range(SOME):
        hamming = np.bitwise_count(codes[i] ^ codes).sum(axis=2, dtype=np.int64)
        np.sqrt(decoded_squares(hamming).sum(axis=1))
    return (time.perf_counter() - begin) * (RECORDS / 2) / SOME


def main():
    binary = sys.argv[1] if len(sys.argv) > 1 else ROOT / "target/release/consortium"
    with tempfile.TemporaryDirectory() as folder:
        run = lambda: json.loads(subprocess.run([binary, "100000", "10", "200", folder],
                                                check=True, capture_output=True, text=True).stdout)
        ours = [run()]
        codes = np.fromfile(pathlib.Path(folder) / "codes.u64", dtype="<u8").reshape(RECORDS, ATTRIBUTES, WORDS)
        products = {threads: by_products(codes, threads)[0] for threads in (1, 2)}
        counts = by_counts(codes)
        ours.append(run())
    best = {key: min(o[key] for o in ours) for key in ours[0] if isinstance(ours[0][key], (int, float))}
    fastest = {t: min(v for k, v in best.items() if k.startswith("all_pairs_") and k.endswith(f"_{t}")) for t in (1, 2)}
    for threads in (1, 2):
        print(f"all pairs, {threads} thread(s): {fastest[threads]:.3f} s; numpy's products {products[threads]:.2f} s, "
              f"{products[threads] / fastest[threads]:.1f} times as long")
    print(f"numpy's bit counts, 1 thread: {counts:.2f} s, {counts / fastest[1]:.1f} times as long")
    print(f"goal of 1 s on two cores: {'met' if fastest[2] < 1 else 'MISSED'}; memory of all pairs {best['pairs_bytes'] / 1e6:.1f} MB")
    print(f"encoding, 1 core: {max(o['encoded_bits_per_second'] for o in ours) / 1e6:.0f} million bits/s (goal 20)")
    print(json.dumps(ours))


if __name__ == "__main__":
    main()
