"""Files and folders that are written whole or not at all."""

from contextlib import suppress

import pytest

from haechi.data.atomic_files import new_folder, whole_file, whole_folder
from haechi.errors import HaechiError


def test_what_was_there_stays_until_everything_is_written(tmp_path):
    file, folder = tmp_path / "a.txt", tmp_path / "out"
    file.write_text("before")
    folder.mkdir()
    (folder / "before").touch()
    for begun in (whole_file(file), whole_folder(folder)):
        with suppress(KeyboardInterrupt), begun as path:
            half = path / "half" if path.is_dir() else path
            half.write_text("half")
            raise KeyboardInterrupt
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.txt", "out"]
    assert file.read_text() == "before"
    assert [one.name for one in folder.iterdir()] == ["before"]


def test_the_new_takes_the_place_of_what_was_there(tmp_path):
    folder = tmp_path / "out"
    for name in ("first", "second"):
        with whole_folder(folder) as path:
            (path / name).touch()
    assert [one.name for one in folder.iterdir()] == ["second"]
    assert [one.name for one in tmp_path.iterdir()] == ["out"]


def test_a_folder_with_something_in_it_is_refused(tmp_path):
    (tmp_path / "mine").touch()
    with pytest.raises(HaechiError, match="already"), new_folder(tmp_path):
        pass
    assert (tmp_path / "mine").exists()
