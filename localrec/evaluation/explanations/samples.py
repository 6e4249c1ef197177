"""Samples of explained recommendations for a judge or a rater, without the system's name.

The explanations of a run are sampled, paired with controls and blinded as `Sample`s. On disk
`samples.jsonl` holds the visible part in random order, and the user in question, so that `localrec
forget` finds the line; `samples-key.jsonl` beside it holds the system of each sample and the
results of the mechanical checks.

A control is a twin that a good judge scores lower: one with another sample's explanation, one with
made-up claims. They are needed because a good system passes nearly every check, and constant
figures agree with nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from localrec.evaluation.explanations.explanation_records import GROUNDED, ExplanationRecord
from localrec.evaluation.sampling import hash_rank
from localrec.foundation.errors import InputError
from localrec.foundation.jsonl_log import read_records, write_records

OWN_EXPLANATION = "own explanation"  # the check that tells exchanged ones from the others
_TWINNED = 0.5  # share of the genuine samples that get a twin of each kind
Control = Literal["", "exchanged", "invented"]


class Sample(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One recommendation to be judged.

    Args:
        id: Unique in its file.
        request: The question, or what is known of the user's taste; `asked` in JSON.
        recommended: Names of the items.
        explanation: The system's words about the items.
        facts: The catalogue's facts about the items; may be empty.
        system: Name of the system that recommended; never shown, as all that follows.
        group: Group that is resampled together; "" for the sample alone.
        checks: Mechanical check -> share of 0..1 that held.
        control: The change of the explanation; "" for a genuine one.
        control_of: The genuine sample that a control is the twin of.
        quotes: Group of the sample whose explanation an exchanged one has: the line tells of that
            person too, so forgetting them must find it.
    """

    id: str
    request: str = msgspec.field(name="asked")
    recommended: str
    explanation: str
    facts: str = ""
    system: str = ""
    group: str = ""
    checks: dict[str, float] = {}
    control: Control = ""
    control_of: str = ""
    quotes: str = ""

    @property
    def digest(self) -> str:
        """Hash the visible text, since a score is valid for this text alone."""
        shown = msgspec.json.encode((self.request, self.recommended, self.explanation, self.facts))
        return hashlib.sha256(shown).hexdigest()[:16]


class SampleKey(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The hidden facts of a sample."""

    id: str
    system: str
    checks: dict[str, float] = {}
    control: Control = ""
    control_of: str = ""
    quotes: str = ""


def samples_of(explained: Sequence[ExplanationRecord], count: int, seed: int) -> list[Sample]:
    """Draw blind samples: for some requests all systems' explanations and controls, shuffled.

    A larger count takes the same requests and more; a sample's id depends on nothing but itself
    and the seed, so that a score that was given stays valid.

    Raises:
        InputError: there is no request for which every system explained something.
    """
    systems = dict.fromkeys(one.system for one in explained)
    shared = (
        set.intersection(
            *({one.id for one in explained if one.system == system} for system in systems)
        )
        if systems
        else set()
    )
    if not shared:
        raise InputError(
            f"Nothing was explained by all of: {', '.join(systems) or 'no system'}.",
            "Judge a run whose systems answered the same questions.",
        )
    drawn = sorted(shared, key=lambda id_: hash_rank(seed, id_))[:count]
    chosen = [one for one in explained if one.id in set(drawn)]
    genuine = [_sample(one) for one in chosen]
    return blinded([*with_controls(genuine, seed=seed), *_invented(chosen, seed)], seed)


def with_controls(
    samples: Sequence[Sample], share: float = _TWINNED, seed: int = 0
) -> list[Sample]:
    """Add to some samples a twin with the explanation of another one.

    Explanations go round among samples of one system, so that neither style nor length tells a
    control. Genuine samples and controls carry the check `OWN_EXPLANATION`, 1 and 0; no other
    check holds of a control, for it was made of another explanation.

    Args:
        samples: Genuine samples.
        share: Share of the samples that get a twin, 0 to 1.
        seed: Seed of the draw of samples and of the explanations they get.
    """
    genuine = [_checked(sample, own=True) for sample in samples]
    controls = []
    for system in dict.fromkeys(sample.system for sample in genuine):
        own = [sample for sample in genuine if sample.system == system]
        own.sort(key=lambda one: hash_rank(seed, f"exchanged {one.id}"))
        for sample in own[: round(share * len(own))]:
            others = [one for one in own if one.explanation != sample.explanation]
            if others:
                other = others[int(hash_rank(seed, sample.id), 16) % len(others)]
                twin = _twin(sample, "exchanged", other.explanation, {OWN_EXPLANATION: 0.0})
                controls.append(msgspec.structs.replace(twin, quotes=other.group))
    return genuine + controls


def blinded(samples: Sequence[Sample], seed: int) -> list[Sample]:
    """Replace the ids of samples by random ones, and order the samples by these."""
    names = {one.id: hash_rank(seed, one.id)[:12] for one in samples}
    renamed = (
        msgspec.structs.replace(
            one, id=names[one.id], control_of=names[one.control_of] if one.control_of else ""
        )
        for one in samples
    )
    return sorted(renamed, key=lambda one: one.id)


def write_samples(path: Path, samples: Sequence[Sample]) -> None:
    """Write the visible part to `path`, and the hidden part to the key file beside it."""
    keys = [
        SampleKey(**{name: getattr(one, name) for name in SampleKey.__struct_fields__})
        for one in samples
    ]
    write_records(_key_of(path), keys)
    nothing = Sample(id="", request="", recommended="", explanation="")
    hidden = {name: getattr(nothing, name) for name in SampleKey.__struct_fields__ if name != "id"}
    write_records(path, [msgspec.structs.replace(one, **hidden) for one in samples])


def read_samples(path: Path) -> list[Sample]:
    """Read the samples of a file of JSON lines, with the key file beside it, where there is one.

    Raises:
        InputError: a file or a line cannot be read, it is empty, or an id comes twice.
    """
    samples = read_records(path, Sample)
    if not samples:
        raise InputError(f"{path} holds no sample.", "Make some: localrec evaluate judge --help")
    seen: set[str] = set()
    for sample in samples:
        if sample.id in seen:
            raise InputError(f"{path}: the id {sample.id!r} comes twice.", "Change one.")
        seen.add(sample.id)
    beside = _key_of(path)
    keys = {one.id: one for one in read_records(beside, SampleKey)} if beside.is_file() else {}
    return [
        msgspec.structs.replace(one, **msgspec.structs.asdict(keys[one.id]))
        if one.id in keys
        else one
        for one in samples
    ]


def shuffled(samples: Sequence[Sample], seed: int) -> list[Sample]:
    """Shuffle samples, the same way for the same ids and seed.

    A sample's place depends on nothing but its id and the seed, so that adding some to the file
    does not mix up the order of those that are half done.
    """
    return sorted(samples, key=lambda one: hash_rank(seed, one.id))


def _sample(one: ExplanationRecord) -> Sample:
    return Sample(
        id=f"{one.id}/{one.system}",
        request=one.request,
        recommended=one.recommended,
        explanation=one.explanation,
        facts=one.facts,
        system=one.system,
        group=one.group or one.id,
        checks=one.checks,
    )


def _invented(explained: Sequence[ExplanationRecord], seed: int) -> list[Sample]:
    """Make twins with invented claims, for a share of each system's explanations."""
    twins = []
    for system in dict.fromkeys(one.system for one in explained):
        able = [one for one in explained if one.system == system and one.invented]
        able.sort(key=lambda one: hash_rank(seed, f"invented {one.id}"))
        twins += [
            _twin(_sample(one), "invented", one.invented, {GROUNDED: one.invented_grounded})
            for one in able[: round(_TWINNED * len(able))]
        ]
    return twins


def _checked(sample: Sample, *, own: bool) -> Sample:
    checks = {**sample.checks, OWN_EXPLANATION: float(own)}
    return msgspec.structs.replace(sample, checks=checks)


def _twin(sample: Sample, control: Control, explanation: str, checks: dict[str, float]) -> Sample:
    return msgspec.structs.replace(
        sample,
        id=f"{sample.id}/{control}",
        explanation=explanation,
        checks=checks,
        control=control,
        control_of=sample.id,
    )


def _key_of(path: Path) -> Path:
    return path.with_name(f"{path.stem}-key.jsonl")
