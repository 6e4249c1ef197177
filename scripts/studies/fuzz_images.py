"""Mutated picture files against the opener: no crash, no hang, little memory.

Files are made from sound ones of every kind (flipped bytes, cut tails, swapped pieces, lengths that
lie) and opened, and sometimes looked at and kept small as items' pictures are, in a child process
whose memory is limited. A file that takes longer than the limit, or kills the child, is kept and
told of; the child starts anew.

    python scripts/studies/run.py fuzz_images --count 10000 --report
    python scripts/studies/run.py fuzz_images --count 300 --seed 2
"""

from __future__ import annotations

import argparse
import io
import os
import random
import resource
import select
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import msgspec
from findings import Findings, origin_of, say
from PIL import Image

from localrec.evaluation.provenance import Origin
from localrec.evaluation.reporting.markdown import markdown_table

TIME_LIMIT_S = 2.0
START_LIMIT_S = 300.0
MEMORY_LIMIT = 300 << 20
LOOKED_AT = 20  # every so many pictures that open are looked at and kept small too
# NumPy's threads each reserve address space, which the limit counts.
_ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """One run.

    Args:
        origin: How it came about.
        outcomes: How many files were opened, refused, hung, died or raised.
        slowest_s: The most that one file took, from asking to the answer.
        slowest_cpu_s: The most of the processor that one file took, which no neighbour lengthens.
        peak_bytes: The most memory that a child held.
        harmful: Number and outcome of each file that was neither opened nor refused.
    """

    origin: Origin
    outcomes: dict[str, int]
    slowest_s: float
    slowest_cpu_s: float
    peak_bytes: int
    harmful: list[tuple[int, str]]


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("--count", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="folder for files that did harm")
    parser.add_argument("--patience", type=float, default=1.0, help="times the 2 s, if it is busy")


def measure(asked: argparse.Namespace) -> Findings:
    """Fuzz; the exit code is 0 when every file was opened or refused in time."""
    figures = fuzz(asked.count, asked.seed, asked.keep, TIME_LIMIT_S * asked.patience)
    for number, outcome in figures.harmful:
        say(f"file {number}: {outcome}")
    failed = figures.harmful or figures.peak_bytes > MEMORY_LIMIT
    return Findings(
        text=as_markdown(figures),
        page="images",
        block="pictures-fuzz",
        figures=figures,
        exit_code=1 if failed else 0,
    )


def fuzz(count: int, seed: int, keep: Path | None, limit_s: float) -> Figures:
    """Feed the child one file after another and count what came of it."""
    drawn = random.Random(seed)
    sound = list(sound_files())
    outcomes: Counter[str] = Counter()
    slowest, slowest_cpu, peak, harmful = 0.0, 0.0, 0, []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "picture"
        child = Child()
        for number in range(count):
            content = mutated(drawn.choice(sound), drawn, sound)
            path.write_bytes(content)
            started = time.monotonic()
            outcome, _, spent = child.ask(str(path), limit_s).partition(" ")
            slowest = max(slowest, time.monotonic() - started)
            outcomes[outcome] += 1
            if outcome in ("opened", "refused"):
                slowest_cpu = max(slowest_cpu, float(spent))
                continue
            harmful.append((number, f"{outcome} {spent}"))
            if keep is not None:
                keep.mkdir(parents=True, exist_ok=True)
                (keep / f"{seed}-{number}").write_bytes(content)
            child.stop()
            child = Child()
        peak = child.peak()
        child.stop()
    return Figures(
        origin=origin_of("fuzz_images", f"--count {count} --seed {seed}"),
        outcomes=dict(outcomes.most_common()),
        slowest_s=slowest,
        slowest_cpu_s=slowest_cpu,
        peak_bytes=peak,
        harmful=harmful,
    )


def as_markdown(figures: Figures) -> str:
    """The figures as a table, with where they come from."""
    count = sum(figures.outcomes.values())
    rows = [[f"files {how}", f"{times:,}", ""] for how, times in figures.outcomes.items()]
    rows += [
        ["files that crashed, hung or raised", f"{len(figures.harmful):,}", "0"],
        ["slowest file, seconds", f"{figures.slowest_s:.2f}", f"under {TIME_LIMIT_S:.0f}"],
        ["the same, of the processor", f"{figures.slowest_cpu_s:.2f}", ""],
        ["memory, MB", f"{figures.peak_bytes >> 20}", f"under {MEMORY_LIMIT >> 20}"],
    ]
    head = [f"{count:,} mutated files", "measured", "wanted"]
    return f"{markdown_table(head, rows)}\n\nMade by {figures.origin.as_text()}"


def sound_files() -> list[bytes]:
    """A small picture of every kind that is taken."""
    gradient = Image.linear_gradient("L").resize((96, 64))
    colour = Image.merge("RGB", (gradient, gradient.rotate(90), gradient.rotate(180)))
    frames = [colour.rotate(10 * turn) for turn in range(3)]
    exif = Image.Exif()
    exif[0x0112] = 6
    kinds = [
        (colour, "PNG", {}),
        (colour.quantize(16), "PNG", {"transparency": 3}),
        (colour.convert("RGBA"), "PNG", {}),
        (gradient.convert("I;16"), "PNG", {}),
        (gradient.convert("1"), "PNG", {}),
        (frames[0], "PNG", {"save_all": True, "append_images": frames[1:]}),
        (colour, "JPEG", {"exif": exif}),
        (colour, "JPEG", {"progressive": True}),
        (colour.convert("CMYK"), "JPEG", {}),
        (gradient, "JPEG", {}),
        (colour, "WEBP", {"exif": exif}),
        (colour.convert("RGBA"), "WEBP", {"lossless": True}),
        (frames[0], "WEBP", {"save_all": True, "append_images": frames[1:]}),
    ]
    files = []
    for image, kind, options in kinds:
        stream = io.BytesIO()
        image.save(stream, kind, **options)
        files.append(stream.getvalue())
    return files


def mutated(content: bytes, drawn: random.Random, others: list[bytes]) -> bytes:
    """A file with a few faults, most of them near the headers."""
    changed = bytearray(content)
    for _ in range(drawn.choice([1, 1, 2, 4, 16])):
        reach = len(changed) if drawn.random() < 0.5 else min(len(changed), 80)
        place = drawn.randrange(max(1, reach))
        match drawn.randrange(6):
            case 0:
                changed[place : place + 1] = drawn.randbytes(1)
            case 1:  # a length or a size that lies
                changed[place : place + 4] = struct.pack(">I", drawn.choice(_LIES))
            case 2:
                del changed[place : place + drawn.randrange(1, 40)]
            case 3:
                changed[place:place] = drawn.randbytes(drawn.randrange(1, 40))
            case 4:
                other = drawn.choice(others)
                start = drawn.randrange(len(other))
                changed[place : place + 60] = other[start : start + 60]
            case 5:
                changed = changed[: max(4, drawn.randrange(len(changed) + 1))]
        if not changed:
            break
    return bytes(changed)


_LIES = (0, 1, 0x7FFFFFFF, 0xFFFFFFFF, 0x10000, 0x3FFF, 0xFFFF0000, 5_000, 20_000)


class Child:
    """A process that opens the files it is told of, one line each."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | _ONE_THREAD,
        )
        # It first imports what it needs, which is no file's fault.
        self.ask("peak", START_LIMIT_S)

    def ask(self, line: str, limit_s: float) -> str:
        """What came of a file: "opened" or "refused" with the seconds of the processor, "hung",
        "died", or "raised" and the error.
        """
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None and stdout is not None
        try:
            stdin.write(f"{line}\n".encode())
            stdin.flush()
        except BrokenPipeError:
            return f"died {self._process.wait()}"
        ready, _, _ = select.select([stdout], [], [], limit_s)
        if not ready:
            return "hung"
        return stdout.readline().decode().strip() or f"died {self._process.wait()}"

    def peak(self) -> int:
        """The most memory that it held, in bytes."""
        answer = self.ask("peak", START_LIMIT_S)
        return int(answer) if answer.isdigit() else 0

    def stop(self) -> None:
        """End it at once."""
        self._process.kill()
        self._process.wait()


def serve() -> int:
    """The child: paths in, outcomes out."""
    from localrec.foundation.errors import InputError
    from localrec.images.opening import open_image
    from localrec.images.thumbnails import thumbnail_of
    from localrec.packs.cocktails.image_analysis import measure_image

    held = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    _limit_address_space(MEMORY_LIMIT - held)
    opened = 0
    for line in sys.stdin:
        path = line.rstrip("\n")
        if path == "peak":
            print(1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, flush=True)
            continue
        started = time.process_time()
        try:
            picture = open_image(path)
            opened += 1
            if opened % LOOKED_AT == 0:
                measure_image(picture)
                thumbnail_of(picture)
            print(f"opened {time.process_time() - started:.3f}", flush=True)
        except InputError:
            print(f"refused {time.process_time() - started:.3f}", flush=True)
        except Exception as error:  # noqa: BLE001  what gets through is what is looked for
            print(f"raised {type(error).__name__}: {error}".replace("\n", " "), flush=True)
    return 0


def _limit_address_space(more: int) -> None:
    """Let this process grow by so many bytes and no further."""
    with Path("/proc/self/statm").open() as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + more, now + more))


if __name__ == "__main__":  # the child, which `Child` starts
    sys.exit(serve())
