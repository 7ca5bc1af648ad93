"""An offline note app: `notes.py add "…"`, `find "…"`, `change ID "…"`, `drop ID`, `undo`, `list`. No model needed."""

import sys

import edgemem

PATH = "notes.edgemem"


def main(words: list[str], path: str = PATH) -> None:
    """Do what the words say."""
    with edgemem.open(path) as file:
        notes = file.user("me")
        match words:
            case ["add", text]:
                print(notes.add(text))
            case ["find", text]:
                for hit in notes.recall(text):
                    print(f"{hit.id[-6:]}  {hit.content}")
            case ["change", note, text]:
                notes.edit(note, text)
            case ["drop", note]:
                notes.forget(note)
            case ["undo"]:
                history = notes.history()
                undone = {change.undoes for change in history}
                standing = [change for change in history if change.undoes is None and change.id not in undone]
                if not standing:
                    sys.exit("Nothing is left to take back.")
                notes.undo(standing[0].id)
                print(f"took back: {standing[0].action}")
            case ["list"]:
                for kept in notes.list():
                    print(f"{kept.id[-6:]}  {kept.updated_at:%d %b}  {kept.content}")
            case _:
                print(__doc__)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except edgemem.EdgememError as error:
        sys.exit(f"{error}\n{error.hint}")
