"""Cells for a notebook: open a memory, look at what changed, where it came from, and what ranks why."""

# %% Open it, and write something into it
import edgemem

file = edgemem.open("notebook.edgemem")
me = file.user("me")
me.log([edgemem.Turn("user", "We bought the blue tent for the hike in June.", session="shop", id="1")])
tent = me.add("The blue tent weighs two kilos")
me.add("The hike goes along the coast", kind="event")
change = me.edit(tent, "The blue tent weighs 2.3 kilos")

# %% What is in it, as a table (pandas.DataFrame(rows) shows it as one)
rows = [{"id": m.id[-6:], "kind": m.kind, "content": m.content, "updated": m.updated_at} for m in me.list()]
for row in rows:
    print(row["id"], row["kind"], row["content"])

# %% What changed, and why
for entry in me.history(tent):
    before, after = entry.before or {}, entry.after or {}
    print(entry.action, entry.author, "|", before.get("content"), "->", after.get("content"))

# %% What ranks why
found = me.recall("how heavy is the tent?")
for hit in found:
    reasons = ", ".join(f"{arm} #{part.rank}" for arm, part in hit.parts.items())
    print(f"{hit.score:.2f}  {hit.content}  ({reasons})")
print(f"left out: {len(found.near_misses)}; {found.ms:.0f} ms")

# %% Take a change back, and close the file
me.undo(change)
print(me.get(tent).content)
file.close()
