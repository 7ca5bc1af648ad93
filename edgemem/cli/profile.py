"""Commands of the structured profile: fields with a value, read exactly and without a model."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict

import click

from edgemem.cli.common import App, ListingGroup, common_options, emit_json, json_or_text, options_before, say
from edgemem.cli.tables import one_line, table
from edgemem.records import ProfileField

_AVOID = click.option("--avoid", is_flag=True, help="The field of what is not wanted, beside the one of the same name.")


@click.group(cls=ListingGroup)
@options_before
def profile() -> None:
    """Who the user is, in fields: name, language, tone, addresses, what to avoid. Alone it lists them."""


@profile.command("set")
@click.argument("field")
@click.argument("value")
@_AVOID
@click.option("--reader", "readers", multiple=True, help="Only this assistant may read it (may be repeated).")
@common_options
def profile_set(app: App, field: str, value: str, avoid: bool, readers: Sequence[str]) -> None:
    """Set FIELD to VALUE (JSON, or plain text).

    Fields are part of every context block, as far as there is room, and answer questions that name them.

    \b
    edgemem profile set language "Deutsch"
    edgemem profile set food '["cilantro", "olives"]' --avoid
    edgemem profile set address "12 Elm Street" --reader courier
    """
    app.memory(make=True).set_profile(field, json_or_text(value), avoid=avoid, readers=readers)
    if app.as_json:
        emit_json({"field": field, "avoid": avoid})


@profile.command("get")
@click.argument("field")
@common_options
def profile_get(app: App, field: str) -> None:
    """Print FIELD, exactly as it was set.

    \b
    edgemem profile get language
    """
    found = app.reading().profile(field)
    if not found:
        say(f"The profile has no field {field}.")
        sys.exit(1)
    if app.as_json:
        emit_json({"fields": [_field_json(f) for f in found]})
        return
    for f in found:
        click.echo(("avoid: " if f.avoid else "") + json.dumps(f.value, ensure_ascii=False))


@profile.command("list")
@click.option("--reader", help="Only what this assistant may read.")
@common_options
def profile_list(app: App, reader: str | None) -> None:
    """All fields.

    \b
    edgemem profile list --json
    """
    found = app.reading().profile(reader=reader)
    if app.as_json:
        emit_json({"fields": [_field_json(f) for f in found]})
    elif found:
        rows = [
            [
                f.field,
                "avoid" if f.avoid else "",
                one_line(json.dumps(f.value, ensure_ascii=False)),
                ", ".join(f.readers),
            ]
            for f in found
        ]
        click.echo(table(["field", "", "value", "readers"], rows, wide="value"))
    else:
        say("The profile is empty. Try: edgemem profile set language English")


@profile.command("unset")
@click.argument("field")
@_AVOID
@common_options
def profile_unset(app: App, field: str, avoid: bool) -> None:
    """Take FIELD out of the profile for good.

    \b
    edgemem profile unset address
    """
    app.memory().unset_profile(field, avoid=avoid)
    if app.as_json:
        emit_json({"field": field, "avoid": avoid})


def _field_json(field: ProfileField) -> dict[str, object]:
    return asdict(field)
