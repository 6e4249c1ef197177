"""Who plays each role by default, and by which figure: `models/roles.toml`, which ships.

A workspace binds other holders in its `settings.toml` (`Settings.roles`), with their figures where
`localrec models bench --adopt` measured them on this machine.
"""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path

import msgspec

from localrec.foundation.errors import InputError
from localrec.foundation.paths import shipped


class RoleHolder(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The default of one role.

    Args:
        holder: "rules", or the model of the catalogue that won.
        figure: The figure that it was chosen by, as a phrase.
        measured: The page that has the figure.
    """

    holder: str
    figure: str
    measured: str


@lru_cache
def shipped_holders(path: Path | None = None) -> dict[str, RoleHolder]:
    """Load the default holder of every role, from `path` or the file that ships.

    Raises:
        InputError: the file cannot be read or has a wrong field.
    """
    path = path or shipped("models") / "roles.toml"
    try:
        declared = tomllib.loads(path.read_text(encoding="utf-8"))
        return msgspec.convert(declared, dict[str, RoleHolder])
    except (OSError, ValueError, msgspec.ValidationError) as error:
        raise InputError(
            f"{path} does not name the holders of roles: {error}.",
            "Restore the file that was installed.",
        ) from error
