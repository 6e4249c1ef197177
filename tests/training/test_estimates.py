"""What a training will take, counted against what is known of real models."""

from __future__ import annotations

import msgspec
import pytest

from localrec.foundation.errors import ModelError, UsageError
from localrec.training.adapters.lora import AdapterConfig, attach
from localrec.training.base_model.loading import load_base
from localrec.training.jobs.device_presets import every_preset, preset_for
from localrec.training.jobs.estimates import (
    BaseShape,
    StepLoad,
    TrainingSpeed,
    adapter_parameters,
    check_fits,
    estimate,
    memory_bytes,
    shape_of,
)

SHAPES = {
    0.2: BaseShape(
        parameters=134_515_008,
        layers=30,
        hidden=576,
        inner=1536,
        vocabulary=49_152,
        keys=192,
        file_bytes=98_362_432,
    ),
    0.7: BaseShape(
        parameters=596_049_920,
        layers=28,
        hidden=1024,
        inner=3072,
        vocabulary=151_936,
        keys=1024,
        file_bytes=484_000_000,
    ),
    2.1: BaseShape(
        parameters=1_720_574_976,
        layers=28,
        hidden=2048,
        inner=6144,
        vocabulary=151_936,
        keys=1024,
        file_bytes=1_280_000_000,
    ),
    4.5: BaseShape(
        parameters=4_022_468_096,
        layers=36,
        hidden=2560,
        inner=9728,
        vocabulary=151_936,
        keys=1024,
        file_bytes=2_500_000_000,
    ),
    9.0: BaseShape(
        parameters=8_190_735_360,
        layers=36,
        hidden=4096,
        inner=12_288,
        vocabulary=151_936,
        keys=1024,
        file_bytes=5_030_000_000,
    ),
}


def load_for(tokens):
    return StepLoad(
        steps=10,
        sequences=64,
        tokens=tokens // 2,
        learnt=tokens // 4,
        longest=tokens,
        written=200,
        servers=1,
    )


@pytest.mark.parametrize(("size", "most", "preset"), every_preset())
def test_every_preset_fits_its_card(size, most, preset):
    found = estimate(
        SHAPES[most],
        AdapterConfig(),
        load_for(preset.max_tokens),
        preset,
        available_bytes=size * 10**9,
    )
    check_fits(found, preset)
    assert preset.micro_batch * preset.accumulation == 64


def test_a_base_that_is_too_large_for_a_card_is_refused_with_a_remedy():
    with pytest.raises(UsageError, match="smaller base") as refused:
        preset_for(8.0, 8_190_735_360)
    assert "2.1 billion" in str(refused.value)


def test_a_card_smaller_than_all_presets_trains_nothing():
    with pytest.raises(UsageError, match="none"):
        preset_for(4.0, 134_515_008)


def test_a_step_is_cut_into_micro_batches_that_divide_it():
    preset = preset_for(24.0, 134_515_008).with_batch(12)
    assert (preset.micro_batch, preset.accumulation) == (6, 2)


def test_what_does_not_fit_is_refused_before_anything_is_loaded():
    preset = preset_for(None, 8_190_735_360)
    found = estimate(SHAPES[9.0], AdapterConfig(), load_for(2048), preset, available_bytes=16 << 30)
    with pytest.raises(UsageError, match="GB"):
        check_fits(found, preset)


def test_memory_grows_with_all_that_takes_it():
    preset = preset_for(24.0, 596_049_920)
    load = load_for(2048)
    least = memory_bytes(SHAPES[0.7], AdapterConfig(), load, preset)
    for more in (
        (SHAPES[2.1], AdapterConfig(), load, preset),
        (SHAPES[0.7], AdapterConfig(rank=64), load, preset),
        (SHAPES[0.7], AdapterConfig(), msgspec.structs.replace(load, longest=4096), preset),
        (SHAPES[0.7], AdapterConfig(), msgspec.structs.replace(load, servers=3), preset),
        (
            SHAPES[0.7],
            AdapterConfig(),
            load,
            msgspec.structs.replace(preset, gradient_checkpointing=False),
        ),
    ):
        assert memory_bytes(*more) > least


def test_time_adds_up_writing_and_learning():
    preset = preset_for(None, 134_515_008)
    speed = TrainingSpeed(learnt=100.0, written=20.0)
    found = estimate(SHAPES[0.2], AdapterConfig(), load_for(2000), preset, speed)
    assert found.seconds_per_step == pytest.approx(64 * 1000 / 100 + 64 * 200 / 20)
    assert found.total_seconds == pytest.approx(10 * found.seconds_per_step)
    assert found.is_measured


def test_a_base_tells_its_size_as_file_and_as_folder(tiny):
    from_file, from_folder = shape_of(tiny.gguf), shape_of(tiny.folder)
    for field in ("layers", "hidden", "inner", "vocabulary", "keys"):
        assert getattr(from_file, field) == getattr(from_folder, field)
    assert from_folder.parameters == pytest.approx(from_file.parameters, rel=0.01)


def test_an_adapters_weights_are_counted_as_peft_makes_them(tiny_llama):
    base = load_base(tiny_llama.gguf)
    config = AdapterConfig(rank=4, dropout=0.0)
    model = attach(base, config)
    trained = sum(one.numel() for one in model.parameters() if one.requires_grad)
    assert adapter_parameters(shape_of(tiny_llama.gguf), config) == trained


def test_what_is_no_network_of_blocks_has_no_size(tmp_path):
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ModelError):
        shape_of(tmp_path)
