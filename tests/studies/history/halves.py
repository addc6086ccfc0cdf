#!/usr/bin/env python3
"""halves.py SERIES OUT: divides recorded series into OUT/develop and OUT/report.

The rules of the detector were chosen on the first half. The second half is for the figures that are reported.
Hosts are divided, not cases: the cases of a host share their nights."""

import csv
import os
import sys

REPORTED_HOST = "Linux-nvidia_rtx_3090_ti"


def of_report_host(row):
    return row["host"] == REPORTED_HOST


def of_odd_series(row):
    return int(row["series"]) % 2 == 1


def of_late_fleet(row):
    return int(row["fleet"]) >= 3


REPORTED = {
    "gpu_fleet": of_report_host, "gpu_fleet_labels": of_report_host, "gpu_fleet_quiet": of_report_host,
    "planted": of_odd_series, "planted_labels": of_odd_series,
    "planted_fleet": of_late_fleet, "planted_fleet_labels": of_late_fleet,
}


def write(path, names, rows):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def divide(series, out):
    for name, reported in REPORTED.items():
        with open(f"{series}/{name}.csv", encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            rows, names = list(reader), reader.fieldnames
        write(f"{out}/develop/{name}.csv", names, [row for row in rows if not reported(row)])
        write(f"{out}/report/{name}.csv", names, [row for row in rows if reported(row)])


if __name__ == "__main__":
    divide(*sys.argv[1:3])
