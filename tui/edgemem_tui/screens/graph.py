"""The graph as a tree one can walk: entities, what hangs together with them, and what waits for a yes or no."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static, Tree
from textual.widgets.tree import TreeNode

from edgemem.graph import Graph
from edgemem.records import Entity, Memory, Relation
from edgemem_tui.desk import Desk
from edgemem_tui.screens.detail import DetailScreen
from edgemem_tui.screens.place import PlaceScreen
from edgemem_tui.text import one_line, relation_line

MOST = 500
"""Entities listed; the others are reached by walking."""


@dataclass(frozen=True, slots=True)
class Branch:
    """What a line of the tree stands for: the entity it leads to, and the relation that leads there."""

    entity: str
    name: str
    relation: Relation | None = None


@dataclass(frozen=True, slots=True)
class _Page:
    """What is shown before anything is opened."""

    waiting: Sequence[Relation]
    entities: Sequence[Entity]
    start: Entity | None


class Branches(Tree[Branch]):
    """The tree, walked with the arrows: right opens a line or goes in, left closes it or goes out."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right", "inward", "Open, then go in", show=False, id="graph.inward"),
        Binding("left", "outward", "Close, or go out", show=False, id="graph.outward"),
    ]

    def action_inward(self) -> None:
        """Open the line under the cursor; of one that is open go to the first in it."""
        node = self.cursor_node
        if node is not None and not node.is_expanded and node.allow_expand:
            node.expand()
        elif node is not None and node.children:
            self.move_cursor(node.children[0])

    def action_outward(self) -> None:
        """Close the line under the cursor; of one that is closed go to the line it hangs under."""
        node = self.cursor_node
        if node is None:
            return
        if node.is_expanded and node.children:
            node.collapse()
        elif node.parent is not None and not node.parent.is_root:
            self.move_cursor(node.parent)


class GraphScreen(PlaceScreen):
    """Entities and relations. ``w`` makes the line under the cursor the place to look from."""

    place = "graph"
    AUTO_FOCUS = "Branches"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("w", "walk", "Walk on", id="graph.walk"),
        Binding("b", "back", "Where from", id="graph.back"),
        Binding("m", "memory", "Memory", id="graph.memory"),
        Binding("a", "accept", "True", id="graph.accept"),
        Binding("x,delete", "refuse", "Not true", key_display="x", id="graph.refuse"),
    ]

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._trail: list[str] = []
        self._page: _Page | None = None
        self.loaded = False
        """Whether the page has been read."""

    @property
    def graph(self) -> Graph:
        """The user's graph."""
        return self.desk.memory.graph

    def body(self) -> ComposeResult:
        """The tree."""
        tree = Branches("graph")
        tree.show_root = False
        yield tree
        yield Static("", id="empty", markup=False)

    @property
    def tree_of(self) -> Branches:
        """The tree."""
        return self.query_one(Branches)

    def reload(self) -> None:
        """Read the entities, or what hangs together with the one looked from."""
        here = self._trail[-1] if self._trail else None
        graph = self.graph

        def page() -> _Page:
            start = next(iter(graph.find(here)), None) if here else None
            return _Page(graph.reviews() if start is None else (), () if start else graph.entities(limit=MOST), start)

        self.desk.run(page, self._show, alone="graph")

    def action_reload(self) -> None:
        """Read again, also what was opened."""
        self._page = None
        self.reload()

    def _show(self, page: _Page) -> None:
        if not self.is_attached or page == self._page:
            return  # what was opened stays open
        self._page = page
        tree = self.tree_of
        line = max(0, tree.cursor_line)
        tree.clear()
        for relation in page.waiting:
            tree.root.add_leaf(self._doubt(relation), Branch(relation.object_id, relation.object, relation))
        for entity in page.entities:
            tree.root.add(self._entity(entity), Branch(entity.id, entity.name))
        if page.start is not None:
            node = tree.root.add(self._entity(page.start), Branch(page.start.id, page.start.name))
            node.expand()
        self._titled(page)
        self.call_after_refresh(self._point, line)

    def _point(self, line: int) -> None:
        """Put the cursor where it was before the page was read again."""
        self.tree_of.cursor_line = min(line, max(0, self.tree_of.last_line))
        self.loaded = True

    def _titled(self, page: _Page) -> None:
        nothing = not (page.waiting or page.entities or page.start)
        empty = self.query_one("#empty", Static)
        empty.display = nothing
        empty.update(
            'No relation is known yet. From the command line: edgemem graph add Mia "sister of" Tom. Escape goes back.'
        )
        self.tree_of.display = not nothing
        where = f"from {one_line(page.start.name, 40)}" if page.start else f"{len(page.entities)} entities"
        doubts = f" · {len(page.waiting)} doubtful: a true, x not true" if page.waiting else ""
        self.tell(f"{where}{doubts}")

    @staticmethod
    def _entity(entity: Entity) -> Text:
        also = f" ({one_line(', '.join(entity.aliases), 80)})" if entity.aliases else ""
        kind = f" · {one_line(entity.kind, 20)}" if entity.kind != "thing" else ""
        return Text.assemble((one_line(entity.name, 80), "bold"), also, (kind, "dim"))

    @staticmethod
    def _doubt(r: Relation) -> Text:
        told = one_line(f"{r.subject} — {r.predicate} → {r.object}", 160)
        return Text.assemble(("? ", "bold"), told, (f" {r.confidence:.0%}", "dim"))

    # Opening

    def on_tree_node_expanded(self, event: Tree.NodeExpanded[Branch]) -> None:
        """Read what hangs together with the entity the line leads to, once."""
        node, branch = event.node, event.node.data
        if branch is None or node.children:
            return
        graph = self.graph
        self.desk.run(lambda: graph.neighbours(branch.entity).relations, partial(self._open, node, branch))

    def _open(self, node: TreeNode[Branch], branch: Branch, relations: Sequence[Relation]) -> None:
        if not self.is_attached or node.children:
            return
        came = branch.relation.id if branch.relation else ""
        for relation in relations:
            if relation.id != came:
                outward = relation.subject_id == branch.entity
                far = (relation.object_id, relation.object) if outward else (relation.subject_id, relation.subject)
                node.add(Text(relation_line(relation, branch.entity)), Branch(*far, relation))
        if not node.children:
            node.allow_expand = False

    # Keys

    @property
    def here(self) -> Branch | None:
        """What the cursor is on."""
        node = self.tree_of.cursor_node
        return None if node is None else node.data

    def action_walk(self) -> None:
        """Look from the entity under the cursor."""
        if self.here is not None:
            self._trail.append(self.here.entity)
            self.reload()

    def action_back(self) -> None:
        """Look from where one came from."""
        if self._trail:
            self._trail.pop()
            self.reload()

    def action_memory(self) -> None:
        """The memory that the relation under the cursor rests on."""
        relation = self.here.relation if self.here else None
        if relation is None or relation.memory is None:
            self.desk.say("It rests on no memory: it was said by hand." if relation else "Choose a relation first.")
            return
        self.desk.run(partial(self.desk.memory.get, relation.memory), self._detailed)

    def _detailed(self, memory: Memory) -> None:
        self.app.push_screen(DetailScreen(self.desk, memory.source, memory))

    def action_accept(self) -> None:
        """A doubtful relation is true."""
        self._settle("review", self.graph.accept, "Accepted")

    def action_refuse(self) -> None:
        """A doubtful relation is not true, or another no longer holds."""
        doubtful = self.here is not None and self.here.relation is not None and self.here.relation.status == "review"
        if doubtful:
            self._settle("review", self.graph.reject, "Rejected")
        else:
            self._settle("live", self.graph.close, "Closed: it no longer holds")

    def _settle(self, status: str, act: Callable[[str], Relation], said: str) -> None:
        relation = self.here.relation if self.here else None
        if relation is None or relation.status != status:
            self.desk.say(
                "That is for doubtful relations, marked with a question mark."
                if status == "review"
                else "Choose a relation first."
            )
            return

        def settled(done: Relation) -> None:
            self.desk.say(f"{done.subject} — {done.predicate} → {done.object}", title=said)
            self.action_reload()

        self.desk.run(partial(act, relation.id), settled)
