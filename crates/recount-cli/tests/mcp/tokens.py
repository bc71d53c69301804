"""Counts tokens as two tokenizers do, whose vocabularies are in the package bpe-openai."""

import json

import bpe_openai

TOKENIZERS = [bpe_openai.get_encoding(name) for name in ("o200k_base", "cl100k_base")]


def count(value: object) -> int:
    """Tokens of a text, or of a value as JSON: the larger number of both tokenizers."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return max(len(tokenizer.encode(text)) for tokenizer in TOKENIZERS)
