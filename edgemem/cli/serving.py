"""The command that serves the memory to other programs on this machine."""

from __future__ import annotations

import click

from edgemem.cli.common import App, common_options, say
from edgemem.errors import InvalidInput


@click.command()
@click.option("--read-only", is_flag=True, help="Offer only the tools that read.")
@click.option("--sensitive", is_flag=True, help="Show values marked sensitive to the assistant too.")
@common_options
def mcp(app: App, read_only: bool, sensitive: bool) -> None:
    """Serve one user's memory to local assistants: Model Context Protocol over standard input and output.

    The assistant's program starts this command; docs/mcp.md has its configuration for common hosts. Whose
    memory it is (--user) and which file (--file) are fixed here; the assistant cannot name another.

    \b
    edgemem mcp --user me
    edgemem mcp --file ~/work.edgemem --read-only
    """
    try:
        from edgemem.adapters.mcp_server import build
    except ImportError as error:
        raise InvalidInput(
            f"The server needs the package mcp ({error}).", "Install it with: pip install 'edgemem-store[mcp]'"
        ) from error
    memory = app.reading() if read_only else app.memory(make=True)
    server = build(memory, read_only=read_only, sensitive=sensitive)
    say(
        f"Serving the memory of {memory.name} in {memory.file.path}. The assistant's program talks to it; Ctrl+C ends it."
    )
    server.run("stdio")
