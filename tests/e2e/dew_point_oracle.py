#!/usr/bin/python3
"""The dew point workload in NumPy, in float64, against what brim wrote.

Usage: dew_point_oracle.py INPUT OUTPUT. Values agree within 2e-6 relative, and are NaN exactly where an input is
missing.
"""

import sys

import h5py
import numpy as np

TOLERANCE = 2e-6


def read_decoded(file, name):
    """float64, NaN where the file says that there is no value."""
    stored = file[name][...]
    values = stored.astype(np.float64)
    for attribute in ("_FillValue", "missing_value"):
        if attribute in file[name].attrs:
            values[stored == np.ravel(file[name].attrs[attribute])[0]] = np.nan
    return values


def dew_point(airt, speh, slp):
    t2 = airt + 273.15
    q = speh / 1000
    p = slp / 10
    e = q * p / (0.622 + 0.378 * q)
    es = 0.611 * np.exp(5423 * (1 / 273 - 1 / t2))
    rh = 100 * e / es
    e_vap = es * rh / 100
    return 1 / (1 / 273 - 0.0001844 * np.log(e_vap / 0.611))


def compare(name, found, expected):
    """The mistakes in one data set, as lines."""
    if found.dtype != np.float32 or found.shape != expected.shape:
        return [f"{name}: {found.dtype} {found.shape} instead of float32 {expected.shape}"]
    lines = []
    wrong_nan = np.isnan(found) != np.isnan(expected)
    if wrong_nan.any():
        lines.append(f"{name}: {wrong_nan.sum()} values are NaN where they should not be or the other way round, "
                     f"first at {tuple(np.argwhere(wrong_nan)[0])}")
    both = ~np.isnan(expected) & ~np.isnan(found)
    error = np.abs(found[both].astype(np.float64) - expected[both]) / np.abs(expected[both])
    largest = error.max() if error.size else 0.0
    print(f"{name}: {both.sum()} values, {(~both).sum()} NaN, largest relative error {largest:.2e}")
    if not largest <= TOLERANCE:
        lines.append(f"{name}: relative error {largest:.2e} is over {TOLERANCE:.0e}")
    if not both.any():
        lines.append(f"{name}: nothing but NaN")
    return lines


def main(input_name, output_name):
    with h5py.File(input_name) as file:
        expected = dew_point(*(read_decoded(file, name) for name in ("AIRT", "SPEH", "SLP")))
    with h5py.File(output_name) as file:
        lines = compare("tdps", file["tdps"][...], expected)
        lines += compare("tdps_mean", file["tdps_mean"][...], expected.mean(axis=0))
    print("\n".join(lines))
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
