"""One frozen object with every default, its meaning and its unit. Built at the edge, passed down."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Settings:
    """All tunables of one opened file."""

    busy_timeout: float = 10.0
    """Seconds to wait for another process's write before ``StoreBusy``; on a machine with far too much to do up to ten times as long."""

    max_turn_bytes: int = 4_000_000
    """Longest message taken into the log, in UTF-8 bytes; longer ones are refused, never cut."""

    extract_max_chars: int = 12_000
    """Characters of one message looked at for memories. The log keeps it all; the receipt says what was not looked at."""

    gate_threshold: float = 0.5
    """Probability (0..1) a clause must reach to be worth a memory."""

    min_confidence: float = 0.7
    """Memories whose measured confidence (0..1) is below this are not stored."""

    rules_first: bool = True
    """Whether plain clauses ("I live in Hull") become memories by rule, so that the model is asked only about the rest."""

    context_turns: int = 2
    """Turns before the one being read that the model sees for reference."""

    recall_limit: int = 8
    """Hits returned when the caller names no number."""

    candidates: int = 50
    """Candidates each arm may bring before they are weighed."""

    ranking: str = "answers"
    """How hits are ordered: answers (how likely they answer), weighted or decay (docs/how-it-works.md)."""

    least_likely: float = 0.12
    """Likelihood (0..1) that it answers below which a memory, or a turn of a short log, is left out."""

    context_budget: int = 2_000
    """Largest context block, in tokens of the chat model."""

    context_share: float = 1 / 3
    """Largest part of the chat model's window that a context block may take."""

    route: bool = True
    """Whether a chat searches the memory only for messages that need it; what stands whatever is asked is told anyway."""

    needless_below: float = 0.13
    """Chance (0..1) that it needs memory below which a chat answers a message without a search."""

    standing_share: float = 0.25
    """Largest part of a context block for what stands whatever is asked: pinned memories, rules, profile, running task."""

    exact_vectors: int = 20_000
    """Vectors of one user and kind up to which a search by meaning compares every one; of more, a graph finds them."""

    vector_memory: int = 512 << 20
    """Bytes that the vectors of all users in use may take in memory; the one in use always stays."""

    job_attempts: int = 2
    """Times a job is tried before it is parked with its error."""

    job_lease: float = 600.0
    """Seconds after which a job whose worker vanished is taken up by another."""

    backups: int = 3
    """Automatic backups kept, newest first, in the folder ``FILE-backups``; 0 makes none."""

    backup_days: float = 1.0
    """Days after which an automatic backup is made anew, if anything changed: at close, or by the background worker."""

    memory_budget: int = 1_000
    """Live memories a user may have; `maintain` puts the least valuable above it out of use."""

    grace_days: float = 90.0
    """Days after which a memory that upkeep put out of use is deleted; until then ``undo`` brings it back."""

    task_days: float = 30.0
    """Days after a task's end until its state is archived, and as many again until it is deleted."""

    fold_turns: int = 20
    """Turns of a conversation that are folded into a summary at a time; as many of the latest are never folded."""

    reflect_turns: int = 3
    """Turns (at least 2, on at least two days) that must have told a pattern before it becomes an insight."""

    reflect_after: int = 30
    """New or changed memories after which the background worker reflects; one that replaced another is enough too.
    0: only when it is asked for."""

    build_graph: bool = True
    """Whether the background worker looks through what was learned for relations, when nothing else waits."""

    wait_on_battery: bool = True
    """Whether the graph and reflection wait while the computer runs on battery."""

    wait_above_load: float = 0.0
    """Tasks that wait for each processor core, in the mean of a minute, above which they wait too; 0: never."""

    background: bool = True
    """Whether ``observe`` starts the background worker by itself."""
