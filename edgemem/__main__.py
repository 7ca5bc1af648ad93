"""``python -m edgemem`` is the ``edgemem`` command."""

from edgemem.cli.main import main

if __name__ == "__main__":
    main()
