"""Turning messages into the prompt a model was trained on, with its own chat template."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from edgemem.errors import InvalidInput
from edgemem.ports import Message

logger = logging.getLogger(__name__)

CHATML: Final = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
"""The named fallback for models that bring no template."""


class ChatTemplate:
    """Renders messages. Thinking is switched off where the template knows how."""

    def __init__(self, source: str | None, *, bos: str, eos: str, model: str) -> None:
        self._values = {"bos_token": bos, "eos_token": eos, "enable_thinking": False, "add_generation_prompt": True}
        self.name = "own" if source else "chatml"
        self._template = self._compile(source, model)

    def _compile(self, source: str | None, model: str) -> Any:
        if source:
            try:
                return _environment().from_string(source)
            except Exception as error:  # templates come from strangers; any failure means the fallback
                logger.warning("The chat template of %s cannot be read (%s); ChatML is used.", model, error)
        else:
            logger.warning("%s brings no chat template; ChatML is used, which it may not know.", model)
        self.name = "chatml"
        return _environment().from_string(CHATML)

    def render(self, messages: Sequence[Message]) -> str:
        """The prompt for ``messages``, open for the assistant's answer."""
        if not messages:
            raise InvalidInput("A prompt needs at least one message.")
        error: Exception | None = None
        for form in (_plain, _without_system, _alternating):
            try:
                return str(self._template.render(messages=form(messages), **self._values))
            except Exception as refusal:  # a template may refuse roles in its own way
                error = error or refusal
        raise InvalidInput(f"The model's chat template refuses these messages: {error}") from error


def _environment() -> Any:
    """A sandbox with what chat templates expect."""
    from jinja2 import ext
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[ext.loopcontrols])
    environment.globals["raise_exception"] = _raise
    environment.globals["strftime_now"] = lambda form: datetime.now().astimezone().strftime(form)
    environment.filters["tojson"] = _to_json
    return environment


def _raise(message: str) -> None:
    from jinja2.exceptions import TemplateError

    raise TemplateError(message)


def _to_json(value: Any, indent: int | None = None, **_: Any) -> str:
    import json

    return json.dumps(value, ensure_ascii=False, indent=indent)


def _plain(messages: Sequence[Message]) -> list[dict[str, str]]:
    return [{"role": message.role, "content": message.content} for message in messages]


def _without_system(messages: Sequence[Message]) -> list[dict[str, str]]:
    """System messages put in front of the first user message, for templates that know no system role."""
    system = "\n\n".join(message.content for message in messages if message.role == "system")
    rest = [message for message in messages if message.role != "system"]
    if not system:
        return _plain(messages)
    if not rest or rest[0].role != "user":
        return _plain([Message("user", system), *rest])
    return _plain([Message("user", f"{system}\n\n{rest[0].content}"), *rest[1:]])


def _alternating(messages: Sequence[Message]) -> list[dict[str, str]]:
    """Neighbours of the same role joined, for templates that insist on turns."""
    joined: list[dict[str, str]] = []
    for message in _without_system(messages):
        if joined and joined[-1]["role"] == message["role"]:
            joined[-1]["content"] += "\n\n" + message["content"]
        else:
            joined.append(dict(message))
    return joined
