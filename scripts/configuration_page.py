"""The page of docs/configuration.md: settings from their record, variables from one table."""

from __future__ import annotations

from record_tables import fields_table, markdown_table

from localrec.foundation.settings import Settings

# A test looks that no other variable of localrec is read anywhere.
VARIABLES = {
    "LOCALREC_WORKSPACE": "the workspace folder, where `--workspace` names none; by default "
    "in your data folder (`~/.local/share/localrec` on Linux)",
    "LOCALREC_CACHE": "the folder of pulled models and data sets; by default in your cache folder "
    "(`~/.cache/localrec` on Linux)",
    "LOCALREC_LEARN": "`off`: no ranking is learnt in the background, only by `localrec learn`",
    "LOCALREC_PICTURES": "`pixels`: the app asks any terminal whether it shows pictures in pixels; "
    "`cells`: it draws them in half cells",
    "LOCALREC_WAIT": "seconds that a command waits for a busy store, half a minute by default",
    "NO_COLOR": "any value: no colours in the terminal",
    "OMP_NUM_THREADS": "threads of numerical libraries, where several commands run side by side",
    "OPENBLAS_THREAD_TIMEOUT": "how long NumPy's idle threads turn in circles, as a power of two; "
    "where nothing is set localrec sets 16, so that a question does not keep cores busy",
    "TEXTUAL_THEME": "the theme of the app, by its name",
}

_PAGE = """# Configuration

Nothing has to be configured. What can be is in three places.

## The workspace's `settings.toml`

It lies in the workspace folder, which `localrec doctor` names. `localrec models use ROLE MODEL`
writes roles; everything may be written by hand. Unknown fields are refused.

{settings}

```toml
embedder = "minilm-int8"
index = "auto"
threads = 2

[roles]
router = "rules"
```

## Variables of the environment

{variables}

Variables that keep libraries from the network are set by localrec itself; they are listed under
[Privacy](privacy.md).

## Other files

| file | where | what |
| --- | --- | --- |
| `tui.toml` | the workspace, or your folder of settings | keys and columns of [the app](tui.md) |
| `domains/NAME/domain.toml` | the workspace | a [domain of your own](domains.md) |
| `columns.toml`, `taxonomy.toml` | beside it | [columns](own-catalogues.md) and families |
| `NAME.mapping.toml` | beside a table | [a mapping](sources.md#the-mapping-file-of-table) |
| `CONFIG.toml` | anywhere | [an evaluation](evaluation.md#how-runs-are-declared) |
"""


def configuration_page() -> str:
    """The whole page."""
    rows = [(f"`{name}`", meaning) for name, meaning in VARIABLES.items()]
    return _PAGE.format(
        settings=fields_table(Settings).rstrip(),
        variables=markdown_table(("variable", "meaning"), rows).rstrip(),
    )
