"""LangGraph's long-term store in one file: pass it to `builder.compile(store=…)`, or use it as here."""

import edgemem
from edgemem.adapters.langgraph import EdgememStore

PATH = "langgraph.edgemem"


def main(path: str = PATH) -> None:
    """Put items, find them by meaning, change one, and see that its history is kept."""
    with edgemem.open(path) as file:
        store = EdgememStore(file.user("sam"))
        store.put(("memories", "sam"), "seat", {"content": "Sam prefers aisle seats on trains"})
        store.put(("memories", "sam"), "pets", {"content": "Sam has a dog called Juno", "age": 4})
        for item in store.search(("memories",), query="which seat on the train?"):
            print(item.key, item.score, item.value["content"])
        store.put(("memories", "sam"), "seat", {"content": "Sam prefers window seats on trains"})
        print(store.get(("memories", "sam"), "seat"))
        print(store.list_namespaces(prefix=("memories",)))


if __name__ == "__main__":
    main()
