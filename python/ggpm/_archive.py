"""Several models in one file: a zip archive of model files, and the classes they belong to."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import numpy as np

from . import _core

_CLASSES = "classes.json"


def as_json(label):
    """A class as JSON can hold it."""
    label = label.item() if isinstance(label, np.generic) else label
    return label if isinstance(label, (int, float, str, bool)) else str(label)


def is_archive(path) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"PK\x03\x04"
    except OSError:  # whoever reads it next says why
        return False


def models_to_archive(models, classes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:  # stored, not compressed; same models, same bytes
        def add(name: str, content) -> None:
            archive.writestr(zipfile.ZipInfo(name), content)

        add(_CLASSES, json.dumps([as_json(c) for c in classes]))
        for k, model in enumerate(models):
            add(f"{k + 1}.ggpm", model.to_bytes())
    return out.getvalue()


def models_of_archive(path) -> tuple[list, np.ndarray]:
    """The models and their classes. Nothing is believed: sizes are those of the file at most."""
    size = Path(path).stat().st_size
    try:
        with zipfile.ZipFile(path) as archive:
            if sum(item.file_size for item in archive.infolist()) > size:
                raise _core.DataError(f"{path}: its parts are larger than the file")
            classes = json.loads(archive.read(_CLASSES))
            models = [_core.Model.from_bytes(archive.read(f"{k + 1}.ggpm"))
                      for k in range(len(classes))]
    except (zipfile.BadZipFile, KeyError, ValueError, NotImplementedError, RuntimeError) as error:
        if isinstance(error, _core.Error):
            raise
        raise _core.DataError(f"{path}: not an archive of ggpm models: {error}") from None
    if not isinstance(classes, list) or len(classes) < 3:
        raise _core.DataError(f"{path}: an archive holds the models of three classes or more")
    return models, np.array(classes)
