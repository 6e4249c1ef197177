"""`localrec ask --image`: a picture beside the question, in one question, in batches, in a talk."""

import hashlib
import io
import json
import shutil

import pytest
from PIL import Image

from localrec.llm.gguf_header import read_header
from tests.images.pictures import highball, png_claiming


@pytest.fixture
def red(tmp_path):
    """A red drink in a highball glass."""
    path = tmp_path / "red.png"
    Image.fromarray(highball("c1121f")).save(path)
    return path


def ask(cli, workspace, *arguments):
    return cli("--workspace", workspace, "ask", *arguments)


def answered(cli, workspace, *arguments):
    code, out, err = ask(cli, workspace, *arguments, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


def names(answer):
    return [item["name"] for item in answer["items"]]


def state_of(folder):
    """Every file of a workspace with a hash of what is in it."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


class TestOneQuestion:
    def test_what_is_like_it_has_its_colour_and_its_glass(self, cli, workspace, red):
        answer = answered(cli, workspace, "what is like this?", "--image", red)
        assert names(answer)[0] == "Americano"
        assert answer["task"]["kind"] == "C4"

    def test_the_look_is_that_of_the_picture_and_the_constraint_that_of_the_text(
        self, cli, workspace, red
    ):
        answer = answered(cli, workspace, "the same look without campari", "--image", red)
        assert names(answer)[0] == "Limeade"  # the only highball left
        assert not {"Americano", "Negroni"} & {*names(answer)}
        assert answer["intent"]["exclude"] == ["campari"]

    def test_what_the_text_says_of_the_look_wins(self, cli, workspace, red):
        answer = answered(cli, workspace, "this in green", "--image", red)
        assert {*names(answer)} == {"Limeade", "Gimlet"}
        assert names(answer)[0] == "Limeade"

    def test_the_answer_says_what_saw_it_and_what_it_saw(self, cli, workspace, red):
        seen = answered(cli, workspace, "what is this?", "--image", red)["seen"]
        assert (seen["by"], seen["leans"]) == ("colours without a model", "name")
        assert seen["colours"][0]["word"] == "red"
        assert 0 < seen["colours"][0]["confidence"] < 1
        assert seen["glass"]["word"] == "highball glass"
        assert {"red", "highball glass"} <= {*seen["counted"]}

    def test_a_person_reads_it_above_the_items(self, cli, workspace, red):
        code, out, err = ask(cli, workspace, "what is like this?", "--image", red)
        assert (code, err) == (0, "")
        told, _, items = out.partition("Americano")
        assert "by colours without a model: a red drink in a highball glass" in told.replace(
            "\n", " "
        )
        assert "is red" in items

    def test_explaining_shows_how_sure_each_thing_is(self, cli, workspace, red):
        out = ask(cli, workspace, "what is like this?", "--image", red, "--explain").out
        assert "taken as the example" in out
        assert "colours: red (0." in out
        assert "counted: red" in out
        assert "picture: measured" in out

    def test_without_a_picture_nothing_of_it_is_said(self, cli, workspace):
        assert "seen" not in answered(cli, workspace, "a red drink")

    def test_a_drink_of_the_text_stays_the_example(self, cli, workspace, red):
        answer = answered(cli, workspace, "like a Gimlet", "--image", red)
        assert answer["intent"]["target"] == "gimlet"


class TestWhatIsNoPicture:
    @pytest.mark.parametrize(
        ("content", "said"),
        [
            (b"", "is empty"),
            (b"gin and tonic", "not a PNG, JPEG or WebP"),
            (b"GIF89a" + bytes(40), "not a PNG, JPEG or WebP"),
            (png_claiming(60_000, 60_000), "more than the"),
            (b"\x89PNG\r\n\x1a\n" + bytes(90), "damaged or cut short"),
        ],
        ids=["empty", "text", "gif", "huge", "broken"],
    )
    def test_is_refused_in_one_sentence_and_changes_nothing(
        self, cli, own_workspace, tmp_path, content, said
    ):
        path = tmp_path / "picture.png"
        path.write_bytes(content)
        before = state_of(own_workspace)
        code, out, err = ask(cli, own_workspace, "like this", "--image", path)
        assert (code, out) == (1, "")
        assert said in err.replace("\n", " ")
        assert state_of(own_workspace) == before

    @pytest.mark.parametrize("named", ["gone.png", "https://example.org/a.png", "data:image/png,"])
    def test_a_name_of_none_is_refused(self, cli, workspace, named):
        code, out, _ = ask(cli, workspace, "like this", "--image", named)
        assert (code, out) == (1, "")

    def test_a_system_of_texts_alone_takes_none(self, cli, workspace, red):
        code, _, err = ask(cli, workspace, "this", "--image", red, "--system", "vector-rag")
        assert code == 2
        assert "takes no picture" in err


class TestBatches:
    def write(self, folder, *questions):
        path = folder / "questions.jsonl"
        path.write_text("\n".join(json.dumps(one) for one in questions), encoding="utf-8")
        return path

    def test_a_picture_is_found_from_the_folder_of_the_file(
        self, cli, workspace, tmp_path, red, monkeypatch
    ):
        folder = tmp_path / "asked"
        (folder / "photos").mkdir(parents=True)
        shutil.copy(red, folder / "photos" / "a.png")
        batch = self.write(
            folder,
            {"id": 1, "query": "what is like this?", "image": "photos/a.png"},
            {"id": 2, "query": "a green drink"},
        )
        out = tmp_path / "answers.jsonl"
        assert ask(cli, workspace, "--batch", batch, "--out", out).code == 0
        first, second = map(json.loads, out.read_text(encoding="utf-8").splitlines())
        assert names(first)[0] == "Americano"
        assert first["seen"]["colours"][0]["word"] == "red"
        assert "seen" not in second

    @pytest.mark.parametrize("image", ["gone.png", "http://example.org/a.png"])
    def test_a_wrong_one_is_told_before_anything_is_answered(self, cli, workspace, tmp_path, image):
        batch = self.write(
            tmp_path, {"id": 1, "query": "gin"}, {"id": "q7", "query": "this", "image": image}
        )
        out = tmp_path / "answers.jsonl"
        code, _, err = ask(cli, workspace, "--batch", batch, "--out", out)
        assert code == 1
        assert "question q7" in err
        assert not out.exists()

    def test_one_picture_for_all_is_no_batch(self, cli, workspace, tmp_path, red):
        batch = self.write(tmp_path, {"id": 1, "query": "gin"})
        out = tmp_path / "answers.jsonl"
        code, _, _ = ask(cli, workspace, "--batch", batch, "--out", out, "--image", red)
        assert code == 2


class TestATalk:
    def talk(self, cli, workspace, monkeypatch, *lines, image=()):
        monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(lines)))
        return ask(cli, workspace, "--plain", *image)

    def test_is_about_the_picture_it_begins_with(self, cli, workspace, monkeypatch, red):
        out = self.talk(
            cli, workspace, monkeypatch, "what is like this?", image=("--image", red)
        ).out
        assert "a red drink in a highball glass" in out
        assert "1: Americano." in out

    def test_takes_a_picture_and_puts_it_away(self, cli, workspace, monkeypatch, red):
        lines = (f"picture {red}", "what is like this?", "no picture", "a green drink")
        out = self.talk(cli, workspace, monkeypatch, *lines).out
        before, _, after = out.partition("put away")
        assert "a red drink" in before
        assert "In the picture" not in after

    def test_goes_on_after_a_wrong_one(self, cli, workspace, monkeypatch):
        out = self.talk(cli, workspace, monkeypatch, "picture gone.png", "a green drink").out
        assert "cannot be read" in out
        assert "Limeade" in out


class TestAModelThatSees:
    @pytest.fixture
    def pair(self, tmp_path):
        pytest.importorskip("gguf")
        from tests.llm.vision_pair import write_projector, write_text_model

        model = write_text_model(tmp_path / "tiny.gguf")
        return model, write_projector(tmp_path / "mmproj.gguf")

    def bind(self, cli, workspace, model, *options):
        return cli("--workspace", workspace, "models", "use", "vision", model, *options)

    def test_is_bound_with_its_projector_and_looks(self, cli, own_workspace, red, pair):
        pytest.importorskip("llama_cpp")
        model, projector = pair
        assert self.bind(cli, own_workspace, model, "--projector", projector).code == 0
        answer = answered(cli, own_workspace, "what is this?", "--image", red, "--explain")
        assert answer["spoke"]["picture"] == "model"
        assert answer["seen"]["by"] == "tiny"
        (call,) = [one for one in answer["model_saw"] if one["role"] == "vision"]
        assert call["reply"].startswith('{"glass": ')
        again = answered(cli, own_workspace, "what is this?", "--image", red, "--no-model")
        assert again["seen"]["by"] == "colours without a model"

    def test_that_went_missing_is_told_and_done_without(self, cli, own_workspace, red, pair):
        model, projector = pair
        self.bind(cli, own_workspace, model, "--projector", projector)
        projector.unlink()
        answer = answered(cli, own_workspace, "what is like this?", "--image", red)
        assert answer["spoke"]["picture"] == "measured"
        assert names(answer)[0] == "Americano"
        assert "did not look at it: There is no model file" in answer["message"]

    def test_needs_its_projector(self, cli, own_workspace, pair):
        code, _, err = self.bind(cli, own_workspace, pair[0])
        assert code == 2
        assert "--projector" in err.replace("\n", " ")

    def test_is_not_two_models(self, cli, own_workspace, pair):
        assert read_header(pair[0]).sees is False
        code, _, err = self.bind(cli, own_workspace, pair[0], "--projector", pair[0])
        assert code == 1
        assert "is no projector" in err.replace("\n", " ")

    def test_a_projector_plays_no_other_role(self, cli, own_workspace, pair):
        run = cli("--workspace", own_workspace, "models", "use", "writer", pair[1])
        assert run.code == 1
        assert "is a projector" in run.err.replace("\n", " ")
