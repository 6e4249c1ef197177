"""`train reader`: refused carriers are told by line; a training leaves a network and its card."""

import json

import pytest

pytest.importorskip("torch")

from localrec.foundation.paths import pulled
from localrec.understanding.question_roles import load_roles

CARRIERS = (
    '{"carrier": "No {barred:component}, please."}\n{"carrier": "I want {wanted:category}."}\n'
)


def test_a_carrier_with_an_unknown_role_is_refused_with_its_line(cli, tmp_path):
    (tmp_path / "carriers.jsonl").write_text(CARRIERS + '{"carrier": "{hated:look}"}')
    out = tmp_path / "roles.npz"
    code, _, err = cli("train", "reader", tmp_path / "carriers.jsonl", "--out", out)
    assert code == 1
    assert "line 3" in err and "hated" in err
    assert not out.exists()


@pytest.mark.real
def test_a_training_leaves_a_network_and_its_card(cli, tmp_path):
    if not (pulled("models") / "minilm-int8" / "model.onnx").is_file():
        pytest.skip("minilm-int8 is not here")
    (tmp_path / "carriers.jsonl").write_text(CARRIERS)
    out = tmp_path / "roles.npz"
    options = ("--questions", "100", "--epochs", "1", "--json", "--out", str(out))
    code, told, _ = cli("train", "reader", str(tmp_path / "carriers.jsonl"), *options)
    assert code == 0
    assert json.loads(told) == json.loads(out.with_suffix(".json").read_text())
    assert load_roles(out).encoder == json.loads(told)["encoder"]
