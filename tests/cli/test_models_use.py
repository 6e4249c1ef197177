"""`localrec models use` and settings.toml: written, read back, and refused where it is wrong."""

import json
import tomllib

import pytest

from localrec.foundation.errors import InputError, UsageError
from localrec.foundation.settings import ROLES, Settings, bind_role, load_settings, save_settings
from localrec.llm.model_catalog import load_catalog

CHAT = next(name for name, model in load_catalog().items() if model.kind == "chat")


def use(cli, workspace, *arguments):
    return cli("--workspace", workspace, "models", "use", *arguments)


class TestModelsUse:
    @pytest.mark.parametrize("role", ROLES)
    def test_binds_a_role_and_gives_it_back(self, cli, workspace_path, role):
        code, out, err = use(cli, workspace_path, role, CHAT)
        assert (code, out) == (0, "")
        assert f"{role} is played by {CHAT}" in err
        assert load_settings(workspace_path).roles == {role: CHAT}
        assert use(cli, workspace_path, role, "rules").code == 0
        assert load_settings(workspace_path).roles == {role: "rules"}

    def test_leaves_the_other_roles_and_settings_alone(self, cli, workspace_path):
        workspace_path.mkdir()
        (workspace_path / "settings.toml").write_text('threads = 2\nembedder = "hashing"\n')
        use(cli, workspace_path, "router", CHAT)
        use(cli, workspace_path, "writer", CHAT)
        assert load_settings(workspace_path) == Settings(
            threads=2, embedder="hashing", roles={"router": CHAT, "writer": CHAT}
        )

    def test_says_it_as_json(self, cli, workspace_path):
        code, out, err = use(cli, workspace_path, "router", CHAT, "--json")
        assert (code, err) == (0, "")
        assert json.loads(out) == {"role": "router", "model": CHAT}

    def test_is_heard_by_the_next_question(self, cli, own_workspace):
        assert use(cli, own_workspace, "writer", "rules").code == 0
        code, out, _ = cli("--workspace", own_workspace, "ask", "gin", "--json")
        assert code == 0
        assert json.loads(out)["spoke"]["writer"] == "template"

    def test_refuses_a_role_nobody_plays(self, cli, workspace_path):
        code, out, err = use(cli, workspace_path, "oracle", CHAT)
        assert (code, out) == (2, "")
        assert "router" in err
        assert not (workspace_path / "settings.toml").exists()

    @pytest.mark.parametrize("name", ["no-such-model", "/no/such/file.gguf"])
    def test_refuses_a_model_that_is_not_there(self, cli, workspace_path, name):
        code, out, err = use(cli, workspace_path, "router", name)
        assert (code, out) == (1, "")
        assert err.startswith("localrec: ")
        assert not (workspace_path / "settings.toml").exists()

    def test_refuses_a_file_that_is_no_model(self, cli, workspace_path, tmp_path):
        (tmp_path / "notes.gguf").write_text("dear diary")
        assert use(cli, workspace_path, "router", tmp_path / "notes.gguf").code == 1
        assert not (workspace_path / "settings.toml").exists()

    def test_leaves_nobody_else_a_look(self, cli, workspace_path):
        use(cli, workspace_path, "router", CHAT)
        assert (workspace_path / "settings.toml").stat().st_mode & 0o777 == 0o600
        assert workspace_path.stat().st_mode & 0o777 == 0o700


class TestTheFile:
    @pytest.mark.parametrize(
        "settings",
        [
            Settings(),
            Settings(roles={"router": "rules"}),
            Settings(
                chat_model='/home/ann "b"/back\\slash.gguf',
                embedder="st:/models/ü",
                index="hnsw",
                threads=3,
                roles={"router": "a", "reflector": "b", "writer": "c"},
            ),
        ],
    )
    def test_is_read_as_it_was_written(self, tmp_path, settings):
        save_settings(tmp_path, settings)
        assert load_settings(tmp_path) == settings
        assert [path.name for path in tmp_path.iterdir()] == ["settings.toml"]

    def test_holds_only_what_was_chosen(self, tmp_path):
        save_settings(tmp_path, Settings(threads=3))
        assert tomllib.loads((tmp_path / "settings.toml").read_text()) == {"threads": 3}

    def test_may_be_missing(self, tmp_path):
        assert load_settings(tmp_path) == Settings()

    @pytest.mark.parametrize(
        "line",
        [
            "colour = 'blue'",
            "[roles]\noracle = 'rules'",
            "[roles]\nrouter = 7",
            "threads = 'many'",
            "embedder = true",
            "roles = 'rules'",
            "threads =",
            "threads = 1\nthreads = 2",
        ],
    )
    def test_with_a_wrong_line_is_refused_by_every_command_that_reads_it(
        self, cli, workspace_path, line
    ):
        workspace_path.mkdir()
        path = workspace_path / "settings.toml"
        path.write_text(line)
        with pytest.raises(InputError):
            load_settings(workspace_path)
        for command in (("ask", "gin"), ("index",), ("models", "use", "router", "rules")):
            code, out, err = cli("--workspace", workspace_path, *command)
            assert (code, out) == (1, ""), command
            assert str(path) in err
        assert path.read_text() == line

    def test_that_is_no_text_is_refused(self, tmp_path):
        (tmp_path / "settings.toml").write_bytes(b"embedder = '\xff'")
        with pytest.raises(InputError, match="cannot be used"):
            load_settings(tmp_path)


def test_binding_changes_a_copy():
    before = Settings()
    after = bind_role(before, "writer", "x")
    assert (before.roles, after.roles) == ({}, {"writer": "x"})
    assert bind_role(after, "chat", "y").chat_model == "y"
    with pytest.raises(UsageError):
        bind_role(before, "", "x")
