"""Commands about background work: what waits and why, how far it is, pausing, doing it now, cancelling."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from edgemem.cli.common import App, ListingGroup, common_options, emit_json, options_before, say
from edgemem.cli.tables import short, table
from edgemem.errors import Conflict
from edgemem.text import counted

if TYPE_CHECKING:
    from edgemem.memory import MemoryFile
    from edgemem.records import Job


@click.group(cls=ListingGroup)
@options_before
def jobs() -> None:
    """Background work: what waits, what failed and why. Alone it lists it."""


@jobs.command("list")
@common_options
def jobs_list(app: App) -> None:
    """Jobs that are not done, newest first, with how far each is.

    \b
    edgemem jobs list
    """
    memory = app.reading()
    found, why = memory.jobs(), memory.file.waiting_because()
    if app.as_json:
        items = [
            {
                "id": j.id,
                "kind": j.kind,
                "status": j.status,
                "attempts": j.attempts,
                "error": j.error,
                "created_at": j.created_at,
                "done": j.done,
                "total": j.total,
                "progress": round(j.progress, 3),
                "step": j.step,
                "about": j.about,
            }
            for j in found
        ]
        emit_json({"jobs": items, "waiting": why})
    elif found:
        click.echo(
            table(
                ["id", "kind", "status", "tries", "done", "about", "at, or why not"],
                [[short(j.id), j.kind, j.status, str(j.attempts), _far(j), j.about, j.error or j.step] for j in found],
                wide="about",
            )
        )
    else:
        say("Nothing waits.")
    if why and not app.as_json:
        say(f"Background work waits: {why}")


def _far(job: Job) -> str:
    """How much of a job is done, in words."""
    return f"{job.done} of {job.total}" if job.total else ""


@jobs.command("pause")
@common_options
def jobs_pause(app: App) -> None:
    """Let all background work of the file rest, in every program, until `edgemem jobs resume`.

    Messages are logged all the same, and are read once the work goes on.

    \b
    edgemem jobs pause
    """
    app.file(background=False).pause_jobs()
    emit_json({"paused": True}) if app.as_json else say("Background work rests. Let it go on with: edgemem jobs resume")


@jobs.command("resume")
@common_options
def jobs_resume(app: App) -> None:
    """Let background work go on after `edgemem jobs pause`.

    \b
    edgemem jobs resume
    """
    app.file(background=False).resume_jobs()
    emit_json({"paused": False}) if app.as_json else say("Background work goes on.")


@jobs.command("run")
@common_options
def jobs_run(app: App) -> None:
    """Do the waiting jobs of all users now. Can be stopped and run again.

    \b
    edgemem jobs run
    """
    from edgemem.cli.progress import Counting, ticking

    file = app.file()
    if file.is_paused():
        raise Conflict("Background work is paused.", "Let it go on with: edgemem jobs resume")
    # Loaded first, so that a missing model is an error here and not a wait.
    waiting = sum(len(file.user(u).jobs(limit=0)) for u in file.users())
    if waiting:
        say(f"{counted(waiting, 'job')} waiting.")
        file.models.language_model()
    done = 0
    with Counting("jobs") as counting, ticking(lambda: counting.tell(at_work(file, done, waiting))):
        while file.work_once():
            done += 1
    failed = sum(j.status == "failed" for u in file.users() for j in file.user(u).jobs(limit=0))
    emit_json({"done": done, "failed": failed}) if app.as_json else say(f"{counted(done, 'job')} run.")
    if failed:
        say(f"{failed} failed jobs are parked: edgemem jobs list")
        sys.exit(1)


def at_work(file: MemoryFile, done: int, waiting: int) -> str:
    """How far the queue is, and the job at work."""
    found = [job for user in file.users() for job in file.user(user).jobs(limit=0) if job.status == "running"]
    told = "".join(f"; {job.kind} {_far(job)} {job.step}".rstrip() for job in found[:1])
    return f"{done} of {max(waiting, done + len(found))} jobs{told}"


@jobs.command("retry")
@click.argument("job")
@common_options
def jobs_retry(app: App, job: str) -> None:
    """Queue a failed JOB again.

    \b
    edgemem jobs retry a04c7d1e52b9
    """
    app.file(background=False).user(app.user_name).retry(job)
    if app.as_json:
        emit_json({"job": job, "status": "queued"})
    say("It waits. Run it with: edgemem jobs run")


@jobs.command("cancel")
@click.argument("job")
@common_options
def jobs_cancel(app: App, job: str) -> None:
    """Take JOB out of the queue for good; what it was to read stays in the log.

    A job at work ends before its next step, in whichever program it runs.

    \b
    edgemem jobs cancel a04c7d1e52b9
    """
    app.file(background=False).user(app.user_name).cancel(job)
    if app.as_json:
        emit_json({"job": job, "status": "cancelled"})
    say("It is out of the queue.")
