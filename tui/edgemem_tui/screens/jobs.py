"""Background work: what waits and what for, what failed and why, and keys to try again or let it be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from edgemem.records import Job
from edgemem.text import counted
from edgemem.view import Memory
from edgemem_tui.desk import Desk
from edgemem_tui.screens.confirm import ConfirmScreen
from edgemem_tui.screens.place import PlaceScreen
from edgemem_tui.text import clipped, minute, one_line
from edgemem_tui.widgets.rows import Column, Row, Rows, Tone

MOST = 1_000
"""Jobs listed; the others come when these are done."""

_TONES: dict[str, Tone] = {"failed": "bad", "running": "good", "queued": ""}
_WORK = {
    "extract": "reads a message for memories", "graph": "looks for relations in what was learned",
    "fold": "sums up long chats", "reflect": "looks for patterns in what is remembered",
}  # fmt: skip
_EMPTY = (
    "Nothing waits.\n\nEvery message you send is read for memories in the background, after the answer. What waits for a model,"
    " or failed, is listed here; nothing said is lost meanwhile."
)


@dataclass(frozen=True, slots=True)
class Queue:
    """The jobs, and why none of them is done just now, if that is so."""

    jobs: Sequence[Job]
    waits: str


class JobsScreen(PlaceScreen):
    """Jobs that are not done, newest first."""

    place = "jobs"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("t", "retry", "Try again", id="jobs.retry"),
        Binding("T", "retry_all", "Try all again", id="jobs.retry_all"),
        Binding("p", "pause", "Pause or go on", id="jobs.pause"),
        Binding("x,delete", "cancel", "Let it be", key_display="x", id="jobs.cancel"),
    ]

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._jobs: dict[str, Job] = {}

    def body(self) -> ComposeResult:
        """The list, and under it the error of the job under the cursor in full."""
        yield Rows(
            Column("state", 8),
            Column("since", 16),
            Column("work", 10),
            Column("tries", 5, right=True),
            Column("what for, or why not"),
        )
        yield Static("", id="why", markup=False)
        yield Static("", id="empty", markup=False)

    def on_mount(self) -> None:
        """The list comes first."""
        self.query_one("#empty").display = False
        self.set_interval(2.0, self._watch)

    def _watch(self) -> None:
        if self.is_current:
            self.reload()

    def reload(self) -> None:
        """Read the queue."""
        self.desk.run(partial(_read, self.desk.memory), self._show, alone="jobs")

    def _show(self, found: Queue) -> None:
        if not self.is_attached:
            return
        jobs = found.jobs
        self._jobs = {job.id: job for job in jobs}
        self.query_one(Rows).put(0, [_row(job) for job in jobs], len(jobs), fresh=True)
        self.teach("" if jobs else _EMPTY)
        states = [job.status for job in jobs]
        counts = [f"{states.count(s)} {s}" for s in ("running", "queued", "failed") if s in states]
        self.tell(" · ".join([*counts, found.waits]) if found.waits else " · ".join(counts) or "all done")

    @on(Rows.Moved)
    def moved(self) -> None:
        """The error in full."""
        job = self.current
        why = self.query_one("#why", Static)
        why.update(clipped(job.error, 600) if job is not None and job.error else "")
        why.display = bool(job is not None and job.error)

    @property
    def current(self) -> Job | None:
        """The job under the cursor."""
        return self._jobs.get(self.query_one(Rows).current_key or "")

    def action_retry(self) -> None:
        """Queue a failed job again."""
        job = self.current
        if job is not None and job.status == "failed":
            self._do(partial(self.desk.memory.retry, job.id), "It is tried again.")
        else:
            self.desk.say("That is for failed jobs; the others are done when their turn comes.")

    def action_retry_all(self) -> None:
        """Queue all failed jobs again."""
        failed = [job.id for job in self._jobs.values() if job.status == "failed"]
        memory = self.desk.memory

        def work() -> None:
            for job in failed:
                memory.retry(job)

        self._do(work, f"Tried again: {counted(len(failed), 'job')}.")

    def action_cancel(self) -> None:
        """Take a job out of the queue, after asking."""
        job = self.current
        if job is None:
            return

        def answered(yes: bool | None) -> None:
            if yes:
                self._do(partial(self.desk.memory.cancel, job.id), "It is out of the queue.")

        note = "What it was to read stays in the log, but is not learned from."
        question, yes = "Take this job out of the queue?", "Take it out"
        if job.status == "running":
            note += " It ends at its next step; what it did until then stays."
            question, yes = "Stop this job?", "Stop it"
        lines = [line for line in (job.about, job.error or _WORK.get(job.kind, job.kind)) if line]
        self.app.push_screen(ConfirmScreen(question, lines, yes, note), answered)

    def action_pause(self) -> None:
        """Leave the queue alone for now, in every program; or go on with it."""
        file = self.desk.file

        def work() -> bool:
            paused = file.is_paused()
            (file.resume_jobs if paused else file.pause_jobs)()
            return not paused

        def done(paused: bool) -> None:
            self.desk.say("Jobs wait until you press p again." if paused else "Jobs go on.")
            self.reload()

        self.desk.run(work, done, alone="pause")

    def _do(self, work: Callable[[], None], said: str) -> None:
        def done(_: None) -> None:
            self.desk.say(said)
            self.desk.look()
            self.reload()

        self.desk.run(work, done)


def _read(memory: Memory) -> Queue:
    """The jobs, those that failed first."""
    jobs = sorted(memory.jobs(limit=MOST), key=lambda job: job.status != "failed")
    return Queue(jobs, memory.file.waiting_because())


def bar(job: Job) -> str:
    """How far a job is, as ten cells and figures."""
    full = int(10 * job.progress)
    return f"{'█' * full}{'░' * (10 - full)} {job.done:,}/{job.total:,}"


def _row(job: Job) -> Row:
    what = one_line(job.error or job.step or _WORK.get(job.kind, ""), 300)
    if job.about:
        what += f" · “{one_line(job.about, 200)}”"
    if job.total and not job.error:
        what = f"{bar(job)} {what}"
    return Row(
        job.id, (job.status, minute(job.created_at), job.kind, str(job.attempts), what), _TONES.get(job.status, "")
    )
