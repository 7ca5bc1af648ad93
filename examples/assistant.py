"""A chat that remembers: what you say today is known tomorrow. Needs a chat model (`edgemem models pull`)."""

import sys

import edgemem


def main(path: str) -> None:
    """Read messages line by line and answer each with what is remembered about it."""
    with edgemem.open(path) as file:
        conversation = file.user("me").chat()
        print("Say something. Ctrl+D ends.", file=sys.stderr)
        for line in sys.stdin:
            if not line.strip():
                continue
            answer, pieces = conversation.ask(line.strip())
            for piece in pieces:
                print(piece, end="", flush=True)
            print()
            for hit in answer.context.recall.hits:
                if hit.id in answer.context.ids:
                    print(f"    remembered: {hit.content}", file=sys.stderr)


if __name__ == "__main__":
    try:
        main(sys.argv[1] if len(sys.argv) > 1 else "assistant.edgemem")
    except edgemem.EdgememError as error:
        sys.exit(f"{error}\n{error.hint}")
