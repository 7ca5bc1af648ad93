"""A web handler: one file, one memory for each person who is signed in. Run: `uvicorn server:app` in this folder.

The person comes from the sign-in, never from the request's own words: `get_person` is where yours goes.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import Depends, FastAPI, Header, HTTPException, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel

import edgemem

PATH = "server.edgemem"


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Open the file once, for all requests; it is safe to use from many at the same time."""
    async with await edgemem.open_async(PATH) as file:
        app.state.file = file
        yield


app = FastAPI(lifespan=lifespan)


class Message(BaseModel):
    """What somebody said."""

    text: str


def get_person(x_person: Annotated[str, Header()]) -> str:
    """Who is signed in. Put your own sign-in here; a header alone proves nothing."""
    if not x_person.strip():
        raise HTTPException(401, "Sign in first.")
    return x_person


async def get_memory(request: Request, person: Annotated[str, Depends(get_person)]) -> edgemem.AsyncMemory:
    """The memory of whoever is signed in."""
    file: edgemem.AsyncMemoryFile = request.app.state.file
    return await file.user(person)


Mine = Annotated[edgemem.AsyncMemory, Depends(get_memory)]


@app.post("/messages")
async def hear(message: Message, memory: Mine) -> dict[str, list[str]]:
    """Log a message; what is worth remembering is taken from it in the background."""
    return {"turns": list(await memory.observe([edgemem.Turn("user", message.text)]))}


@app.post("/memories")
async def keep(message: Message, memory: Mine) -> dict[str, str]:
    """Remember a sentence as it is."""
    return {"id": await memory.add(message.text)}


@app.get("/context")
async def background(question: str, memory: Mine) -> dict[str, str]:
    """What to put before a prompt."""
    return {"text": (await memory.context(question, budget=500)).text}


@app.delete("/memories/{memory_id}")
async def drop(memory_id: str, memory: Mine) -> dict[str, str]:
    """Take a memory out of use."""
    return {"change": await memory.forget(memory_id)}


@app.exception_handler(edgemem.NotFound)
async def not_found(request: Request, error: edgemem.NotFound) -> JSONResponse:
    """Another person's memory is simply not there."""
    return JSONResponse({"detail": str(error)}, 404)


@app.exception_handler(edgemem.InvalidInput)
async def refused(request: Request, error: edgemem.InvalidInput) -> JSONResponse:
    """Say what to change."""
    return JSONResponse({"detail": f"{error} {error.hint}"}, 422)
