"""Commands that describe the command line: to a shell, and to programs."""

from __future__ import annotations

from typing import Any

import click

from edgemem.cli.common import App, common_options, emit_json

SPEC_VERSION = 1
"""Version of the form of ``edgemem spec``."""

EXIT_CODES = {
    0: "done",
    1: "failed, or not all of it could be done",
    2: "wrong usage",
    3: "another process holds the file; try again",
    4: "a model is missing",
    130: "interrupted; what was finished is kept",
}


@click.command()
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
@common_options
def completion(app: App, shell: str) -> None:
    """Print the completion script of a SHELL.

    \b
    edgemem completion bash > ~/.local/share/bash-completion/completions/edgemem
    edgemem completion zsh > ~/.zfunc/_edgemem
    edgemem completion fish > ~/.config/fish/completions/edgemem.fish
    """
    from click.shell_completion import get_completion_class

    from edgemem.cli.main import cli

    kind = get_completion_class(shell)
    assert kind is not None  # the choices above are those that click knows
    script = kind(cli, {}, "edgemem", "_EDGEMEM_COMPLETE").source()
    emit_json({"shell": shell, "script": script}) if app.as_json else click.echo(script)


@click.command()
@common_options
def spec(app: App) -> None:
    """Describe all commands for programs: arguments, options, exit codes, kinds, formats.

    \b
    edgemem spec --json | jq '.commands[].name'
    """
    described = _spec()
    if app.as_json:
        emit_json(described)
        return
    for command in described["commands"]:
        click.echo(f"{command['name']}  {command['help']}")


def _spec() -> dict[str, Any]:
    from edgemem import __version__
    from edgemem.hooks import KINDS as EVENTS
    from edgemem.interop.formats import FORMATS
    from edgemem.interop.forms import FORMS
    from edgemem.records import KINDS, ROLES, STATUSES
    from edgemem.store.schema import VERSION

    return {
        "spec": SPEC_VERSION, "edgemem": __version__, "schema": VERSION, "commands": _commands(),
        "exit_codes": {str(code): meaning for code, meaning in EXIT_CODES.items()},
        "environment": {"EDGEMEM_FILE": "--file", "EDGEMEM_USER": "--user", "EDGEMEM_HOME": "folder of the models",
                        "EDGEMEM_PASSPHRASE": "--passphrase-fd", "EDGEMEM_NEW_PASSPHRASE": "--new-fd",
                        "EDGEMEM_EXPORT_PASSPHRASE": "--export-fd", "EDGEMEM_POSTGRES": "CONNECTION of postgres",
                        "NO_COLOR": "no colours"},
        "kinds": list(KINDS), "statuses": list(STATUSES), "roles": list(ROLES), "events": list(EVENTS),
        "import_formats": list(FORMATS), "export_formats": list(FORMS),
        "streams": {"stdout": "data", "stderr": "narration"},
    }  # fmt: skip


def _commands() -> list[dict[str, Any]]:
    from edgemem.cli.main import cli

    found: list[dict[str, Any]] = []
    _walk(cli, "edgemem", found)
    return found


def _walk(command: click.Command, name: str, found: list[dict[str, Any]]) -> None:
    context = click.Context(command, info_name=name)
    if isinstance(command, click.Group):
        for member in command.list_commands(context):
            inner = command.get_command(context, member)
            if inner is not None:
                _walk(inner, f"{name} {member}", found)
        return
    words = (command.help or "").split("\b")
    found.append(
        {
            "name": name, "help": " ".join(words[0].split()),
            "examples": [line.strip() for part in words[1:] for line in part.splitlines() if line.strip()],
            "arguments": [_parameter(p) for p in command.params if isinstance(p, click.Argument)],
            "options": [_parameter(p) for p in command.params if isinstance(p, click.Option)],
        }
    )  # fmt: skip


def _parameter(parameter: click.Parameter) -> dict[str, Any]:
    kind = parameter.type
    described: dict[str, Any] = {
        "name": parameter.human_readable_name if isinstance(parameter, click.Argument) else parameter.name,
        "type": "flag" if getattr(parameter, "is_flag", False) else kind.name,
        "required": parameter.required, "many": parameter.multiple or parameter.nargs == -1,
    }  # fmt: skip
    if isinstance(kind, click.Choice):
        described["choices"] = [str(choice) for choice in kind.choices]
    if isinstance(parameter, click.Option):
        default = parameter.default
        described |= {"flags": [*parameter.opts, *parameter.secondary_opts], "help": parameter.help or ""}
        if isinstance(default, str | int | float) and not isinstance(default, bool):
            described["default"] = default
    return described
