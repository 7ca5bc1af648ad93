"""Figures as a few lines of text for people; the JSON holds more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_EXTRACTION_COLUMNS = ("items", "expected", "recall", "precision", "junk_per_100_turns", "false_memories", "kind")


def report(kind: str, figures: Mapping[str, Any]) -> str:
    """A table for ``extraction``, ``pairs``, ``retrieval``, ``sessions``, ``graph``, ``insights``, ``summaries`` or ``router`` figures, with what was measured."""
    lines = {
        "extraction": _extraction,
        "pairs": _pairs,
        "retrieval": _retrieval,
        "sessions": _sessions,
        "graph": _graph,
        "insights": _insights,
        "summaries": _summaries,
        "ablation": _ablation,
        "router": _router,
    }[kind](figures)
    return "\n".join([*lines, *_about(figures)])


def table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[str]:
    """Lines with columns aligned: the first to the left, figures to the right."""
    cells = [[_cell(value) for value in row] for row in [head, *rows]]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    return [
        "  ".join([row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))]).rstrip()
        for row in cells
    ]


def _cell(value: Any) -> str:
    return "–" if value is None else str(value)


def _extraction(figures: Mapping[str, Any]) -> list[str]:
    rows = [["all", *(figures[name] for name in _EXTRACTION_COLUMNS)]]
    rows += [[tag, *(part[name] for name in _EXTRACTION_COLUMNS)] for tag, part in figures["by_tag"].items()]
    head = ["", *(name.replace("_per_100_turns", "/100").replace("_memories", "") for name in _EXTRACTION_COLUMNS)]
    seconds = figures.get("seconds_per_turn")
    summary = (
        f"Stored {figures['stored']}, of them slices of chat {figures['slices']}. Items with nothing to keep "
        f"left clean: {figures['empty_items_clean']}. Seconds a user turn: {_cell(seconds)}."
    )
    return [*table(head, rows), "", summary]


def _pairs(figures: Mapping[str, Any]) -> list[str]:
    relations = ("duplicate", "refine", "conflict", "distinct", "None")
    confusion = figures["confusion"]
    said = [name for name in relations if any(key.endswith(f"->{name}") for key in confusion)]
    rows = [[gold, *(confusion.get(f"{gold}->{name}", 0) for name in said)] for gold in relations[:4]]
    return [
        f"accuracy {figures['accuracy']}, harmful {figures['harmful']}, of {figures['n']} pairs",
        "",
        *table(["is \\ said", *said], rows),
    ]


def _sessions(figures: Mapping[str, Any]) -> list[str]:
    rows = [["all", figures["passed"], figures["cases"]]]
    rows += [[tag, counts["passed"], counts["cases"]] for tag, counts in figures["by_tag"].items()]
    summary = (
        f"Of {figures['asked']} questions answered {_cell(figures['answered'])}, by a memory {_cell(figures['by_memory'])}; "
        f"with what is no longer true: {figures['stale']}."
    )
    wrong = [
        f"{id_}: {w['ask']} -> {'; '.join(w['found'][:3]) or 'nothing'}"
        for id_, ws in figures["wrong"].items()
        for w in ws
    ]
    errors = [f"{id_}: {error}" for id_, error in figures["errors"].items()]
    return [*table(["", "passed", "cases"], rows), "", summary, *wrong, *errors]


def _graph(figures: Mapping[str, Any]) -> list[str]:
    columns = ("questions", "answered", "by_memory", "in_context", "without_graph")
    rows = [[name, *(part[c] for c in columns)] for name, part in {"all": figures, **figures["by_group"]}.items()]
    wrong = [f"{id_}: {w['ask']} -> {'; '.join(w['found'][:3]) or 'nothing'}" for id_, w in figures["wrong"].items()]
    head = ["", *(c.replace("_", " ") for c in columns)]
    return [*table(head, rows), "", f"Relations kept: {figures['relations']}.", *wrong]


def _insights(figures: Mapping[str, Any]) -> list[str]:
    faults = [f"{id_}: {fault}" for id_, found in figures["faults"].items() for fault in found]
    drawn = (
        f"{figures['insights']} insights in {figures['stores']} stores: evidence valid {_cell(figures['valid_evidence'])}, "
        f"say too much {_cell(figures['too_much'])}, worded by the model {figures['worded_by_model']}."
    )
    asked = (
        f"Of {figures['patterns']} patterns drawn {_cell(figures['drawn'])}. Of {figures['asked']} questions answered "
        f"{_cell(figures['answered_before'])} before, {_cell(figures['answered_after'])} after."
    )
    return [drawn, asked, *faults]


def _summaries(figures: Mapping[str, Any]) -> list[str]:
    columns = ("conversations", "facts", "kept", "share_of_tokens", "invented", "flipped", "outdated", "other_language")
    rows = [[name, *(part[c] for c in columns)] for name, part in figures["groups"].items()]
    kinds = ("number", "name", "decision", "reason", "negation")
    kept = [[name, *(part["by_kind"].get(k) for k in kinds)] for name, part in figures["groups"].items()]
    lacking = [f"missed in {id_}: {fact}" for id_, found in figures["missed"].items() for fact in found]
    faulty = [f"wrong in {id_}: {sentence}" for id_, found in figures["wrong"].items() for sentence in found]
    head = ["", *(c.replace("_", " ") for c in columns)]
    note = f"Tokens counted by: {figures['counted_by']}."
    return [*table(head, rows), "", *table(["kept", *kinds], kept), "", note, *lacking, *faulty]


def _retrieval(figures: Mapping[str, Any]) -> list[str]:
    groups = {"all": figures, **figures["by_file"], **figures["by_type"]}
    head = ["", "questions", *(f"any@{k}" for k in figures["any_at"]), *(f"recall@{k}" for k in figures["recall_at"])]
    head += [f"in {n} tokens" for n in figures["any_in_tokens"]]
    rows = [
        [
            name,
            part["questions"],
            *part["any_at"].values(),
            *part["recall_at"].values(),
            *part["any_in_tokens"].values(),
        ]
        for name, part in groups.items()
    ]
    declined = figures["abstention"]
    summary = (
        f"Declined: {_share(declined['unanswerable'])} without an answer, {_share(declined['answerable'])} with one. "
        f"A search takes {_cell(figures['p50_ms'])} ms (median), {_cell(figures['p95_ms'])} ms (95 %)."
    )
    return [*table(head, rows), "", summary]


def _ablation(figures: Mapping[str, Any]) -> list[str]:
    rows = [[name, *part["any_at"].values(), part["recall_at"]["10"]] for name, part in figures["variants"].items()]
    depths = next(iter(figures["variants"].values()))["any_at"]
    return table([f"{figures['questions']} questions", *(f"any@{k}" for k in depths), "recall@10"], rows)


def _router(figures: Mapping[str, Any]) -> list[str]:
    head = ["", "turns", "needed", "saved", "missed", "without a search"]
    rows = [
        [name, *(part[key] for key in ("turns", "needed", "saved", "missed", "spared"))]
        for name, part in figures["groups"].items()
    ]
    missed = [f"missed ({w['chance']}): {w['turn']}" for w in figures["wrong"] if w["needs"]]
    note = "Saved: of the turns that need no memory. Missed: of those that do."
    return [*table(head, rows), "", note, *missed]


def _share(part: Mapping[str, Any]) -> str:
    return f"{_cell(part['abstained'])} of {part['questions']} questions"


def _about(figures: Mapping[str, Any]) -> list[str]:
    if "predictions" not in figures:
        return []
    machine = figures["machine"]
    what = (
        f"{figures['n']} items of {', '.join(figures['sets'])}; {figures.get('model')}, {figures.get('embedder')}; "
        f"{machine['cpus']} CPUs, {machine['platform']}; {figures['seconds']} s, {figures['taken_up']} taken up."
    )
    failed = [f"Failed: {id_}: {error}" for id_, error in figures["failed"].items()]
    return ["", what, f"Predictions: {figures['predictions']}", *failed]
