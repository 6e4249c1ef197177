"""What could reach a network, and how each of it is kept from it.

`SWITCHES` are set before any library is imported; what a person has set already stays. `LIBRARIES`
names every package that localrec brings along, with the verdict that docs/privacy.md and
`localrec doctor --privacy` print. Nothing in localrec needs the network but the commands of
`NETWORK_COMMANDS`, which run pip in a process of its own.
"""

from __future__ import annotations

from typing import NamedTuple

from localrec.foundation.offline import SWITCHES

NETWORK_COMMANDS = ("localrec models pull", "localrec datasets pull")


class LibraryNetworkUse(NamedTuple):
    """A package that comes with localrec: what it could do on a network, what keeps it from it."""

    name: str
    could: str
    kept: str


_HUB_SWITCH = (
    "HF_HUB_OFFLINE, TRANSFORMERS_OFFLINE; files are opened by path, never by a hub's name"
)
_BELOW_HUB = "only through huggingface-hub, which is never called"
_BELOW_HUB_OR_MCP = "only through huggingface-hub or mcp's clients, which are never called"
_BELOW_MCP = "comes with mcp, which opens no port here"

LIBRARIES: tuple[LibraryNetworkUse, ...] = (
    LibraryNetworkUse(
        "duckdb",
        "fetch extensions; read addresses in SQL",
        "opened with autoinstall, autoload and community extensions off, enable_external_access "
        "off, and the configuration locked",
    ),
    LibraryNetworkUse(
        "huggingface-hub", "fetch models, report use", f"{_HUB_SWITCH}; no telemetry switch"
    ),
    LibraryNetworkUse("hf-xet", "fetch files for huggingface-hub", _BELOW_HUB),
    LibraryNetworkUse("httpx2", "any request", _BELOW_HUB_OR_MCP),
    LibraryNetworkUse("httpx", "any request", _BELOW_HUB),
    LibraryNetworkUse("httpcore2", "any request", _BELOW_HUB_OR_MCP),
    LibraryNetworkUse("httpcore", "any request", _BELOW_HUB),
    LibraryNetworkUse("anyio", "open sockets", _BELOW_HUB_OR_MCP),
    LibraryNetworkUse("fsspec", "open addresses as files", _BELOW_HUB),
    LibraryNetworkUse(
        "tokenizers", "from_pretrained fetches", "opened with from_file only; HF_HUB_OFFLINE"
    ),
    LibraryNetworkUse(
        "onnxruntime",
        "telemetry to its maker, which 1.32 sends on Linux too, and a database of it in ~/.cache",
        "ORT_DISABLE_TELEMETRY, set when localrec is imported; tests/test_offline.py looks for the "
        "database and lets the kernel count packets: none",
    ),
    LibraryNetworkUse(
        "llama-cpp-python",
        "from_pretrained fetches; it ships a web server",
        "models are opened by path in a child process that gets no socket; the server is never "
        "imported",
    ),
    LibraryNetworkUse(
        "gguf",
        "read the header of a remote model",
        "used by training to read and write local files; its remote functions are never called",
    ),
    LibraryNetworkUse(
        "requests", "any request", "comes with gguf; its remote functions are never called"
    ),
    LibraryNetworkUse("urllib3", "any request", "comes with requests, which is never called"),
    LibraryNetworkUse(
        "sentence-transformers",
        "fetch models by name",
        f"optional; opened with a folder and local_files_only; {_HUB_SWITCH}",
    ),
    LibraryNetworkUse(
        "transformers",
        "fetch models by name; load code that lies beside a model",
        f"{_HUB_SWITCH}; local_files_only, and no code out of a model's folder",
    ),
    LibraryNetworkUse("peft", "fetch adapters by name", f"only for training; {_HUB_SWITCH}"),
    LibraryNetworkUse(
        "trl",
        "push models; report to trackers; talk to a generation server",
        f"only for training; {_HUB_SWITCH}; no tracker and no server is named",
    ),
    LibraryNetworkUse(
        "accelerate", "fetch models by name; report to trackers", "called by training only"
    ),
    LibraryNetworkUse("datasets", "fetch data sets by name", "comes with trl; HF_DATASETS_OFFLINE"),
    LibraryNetworkUse("pandas", "open addresses as files", "comes with datasets; never called"),
    LibraryNetworkUse(
        "pyarrow", "open cloud storage as files", "comes with datasets; never called"
    ),
    LibraryNetworkUse(
        "multiprocess", "listen for other processes", "comes with datasets; never called"
    ),
    LibraryNetworkUse(
        "optimum-intel",
        "fetch models by name",
        f"an extra of sentence-transformers that nothing here asks for; {_HUB_SWITCH}",
    ),
    LibraryNetworkUse("torch", "torch.hub fetches", "torch.hub is never called"),
    LibraryNetworkUse(
        "ray",
        "report use; ask a cloud what machine this is; open ports, one of them a dashboard",
        "optional, and only for `--engine ray`: RAY_USAGE_STATS_ENABLED; it listens "
        "on the loopback address alone, asks for a token of that run, and starts no dashboard; "
        "another machine is reached only where you name one with --address",
    ),
    LibraryNetworkUse(
        "jsonschema", "fetch the schemas that one refers to", "comes with ray, which has its own"
    ),
    LibraryNetworkUse("scikit-learn", "fetch_* functions", "never called"),
    LibraryNetworkUse("numpy", "DataSource opens addresses", "never called"),
    LibraryNetworkUse(
        "textual",
        "open addresses in a browser; talk to a console for developers",
        "the app opens no address; the console is a package of its own that does not come along",
    ),
    LibraryNetworkUse(
        "textual-serve",
        "serve anybody who knows the port; its page asks for a font from elsewhere",
        "optional, and only for `tui --serve`: it listens on the loopback address alone, answers "
        "no foreign page, and forbids the browser to load anything from elsewhere",
    ),
    LibraryNetworkUse("aiohttp", "any request", "comes with textual-serve, which only listens"),
    LibraryNetworkUse(
        "mcp",
        "listen on a port; ask other servers",
        "optional, and only for `localrec mcp`: it serves its standard input and output alone",
    ),
    LibraryNetworkUse("uvicorn", "listen on a port", _BELOW_MCP),
    LibraryNetworkUse("starlette", "serve requests of a listener", _BELOW_MCP),
    LibraryNetworkUse("sse-starlette", "serve requests of a listener", _BELOW_MCP),
    LibraryNetworkUse(
        "opentelemetry-api",
        "hand spans to an exporter",
        "comes with mcp; no exporter is installed, and OTEL_SDK_DISABLED switches it off",
    ),
    LibraryNetworkUse(
        "mkdocs", "serve pages on a port", "an extra for the documentation; only writes a folder"
    ),
    LibraryNetworkUse(
        "mkdocs-material",
        "its pages load fonts from elsewhere",
        "an extra for the documentation; fonts are off, a test looks that pages name no address "
        "to load from",
    ),
    LibraryNetworkUse(
        "ghp-import", "push pages to a repository", "comes with mkdocs; never called"
    ),
    LibraryNetworkUse(
        "tqdm", "tqdm.contrib posts progress to chats", "its contrib modules never load"
    ),
)

# Come along too, and have no network code of their own, or none that runs without a library above.
LIBRARIES_WITHOUT_NETWORK: tuple[str, ...] = (
    *("aiohappyeyeballs", "aiohttp-jinja2", "aiosignal", "frozenlist", "multidict", "propcache"),
    "yarl",
    *(
        "annotated-doc",
        "annotated-types",
        "attrs",
        "certifi",
        "charset-normalizer",
        "click",
        "cloudpickle",
        "coloredlogs",
    ),
    *(
        "dill",
        "diskcache",
        "editdistpy",
        "filelock",
        "flatbuffers",
        "h11",
        "hnswlib",
        "humanfriendly",
        "implicit",
    ),
    *("cffi", "cryptography", "httpx2-jsfetch", "mcp-types", "pycparser", "pyjwt"),
    "python-multipart",
    *("idna", "jinja2", "joblib", "jsonschema-specifications", "markdown-it-py", "markupsafe"),
    *("mdit-py-plugins", "mdurl", "mpmath", "msgpack", "msgspec"),
    *(
        "narwhals",
        "networkx",
        "packaging",
        "pillow",
        "platformdirs",
        "protobuf",
        "psutil",
        "py3langid",
        "pydantic",
        "pydantic-core",
        "pygments",
        "python-dateutil",
    ),
    *("pyyaml", "rapidfuzz", "referencing", "regex", "rich", "rpds-py", "safetensors", "scipy"),
    *("setuptools", "shellingham"),
    *("babel", "backrefs", "colorama", "markdown", "mergedeep", "mkdocs-get-deps", "paginate"),
    *("mkdocs-material-extensions", "pathspec", "pymdown-extensions", "pyyaml-env-tag", "watchdog"),
    "six",
    *("symspellpy", "sympy", "textual-image", "threadpoolctl", "truststore", "typer"),
    *("typer-slim", "typing-extensions", "typing-inspection", "tzdata", "xxhash"),
)


def libraries_table() -> str:
    """`LIBRARIES` and `HARMLESS` as the Markdown table of docs/privacy.md."""
    rows = [f"| {one.name} | {one.could} | {one.kept} |" for one in LIBRARIES]
    return "\n".join(
        [
            "| library | could | what keeps it from it |",
            "| --- | --- | --- |",
            *rows,
            f"| {', '.join(LIBRARIES_WITHOUT_NETWORK)} | nothing by itself | |",
        ]
    )


def switches_table() -> str:
    """`SWITCHES` as the Markdown table of docs/privacy.md."""
    rows = [f"| `{name}` | `{value}` |" for name, value in SWITCHES.items()]
    return "\n".join(["| variable | set to, unless you have set it |", "| --- | --- |", *rows])
