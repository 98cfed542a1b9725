"""Output files: whole or not at all, through links and into pipes, never over a file that is read."""

import errno
import os
import stat
import subprocess
import sys
import threading

import pytest

import assay
from assay import output_files
from assay.errors import FileError
from assay.output_files import OutputFiles, check_output, identity, write_file


@pytest.fixture(params=["nameless", "named"])
def way(request, monkeypatch):
    """Write to files without a name, as Linux has them, and to ones with a temporary name."""
    if request.param == "named":
        monkeypatch.setattr(output_files, "_NAMELESS", 0)
    return request.param


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_file_has_the_permissions_of_any(way, tmp_path):
    """The umask is asked, by evaluations and pages too; an old file keeps its own permissions."""
    ev = assay.evaluate(actual=[0, 1, 1, 0], predicted=[0, 1, 0, 0])
    before = os.umask(0o027)
    try:
        write_file(tmp_path / "new.txt", "new")
        ev.save(tmp_path / "new.assay")
        ev.report(tmp_path / "new.html")
        (tmp_path / "old.assay").write_bytes(b"")
        (tmp_path / "old.assay").chmod(0o600)
        ev.save(tmp_path / "old.assay")
    finally:
        os.umask(before)
    assert {mode_of(tmp_path / f"new.{ending}") for ending in ("txt", "assay", "html")} == {0o640}
    assert mode_of(tmp_path / "old.assay") == 0o600
    assert assay.load(tmp_path / "old.assay").n == 4
    assert len(list(tmp_path.iterdir())) == 4


def test_nothing_is_left_of_what_was_not_finished(way, tmp_path):
    """An error or Ctrl-C leaves the old file as it was, and no other."""
    (tmp_path / "old").write_text("old")
    for error in (ValueError, KeyboardInterrupt):

        def fail(error=error):
            with OutputFiles() as files:
                files.write(tmp_path / "old", "new")
                files.place(tmp_path / "other").write_text("half")
                raise error

        with pytest.raises(error):
            fail()
        assert [path.read_text() for path in tmp_path.iterdir()] == ["old"]
    check_output(tmp_path / "other")
    assert len(list(tmp_path.iterdir())) == 1


def test_files_without_a_name_are_used_where_the_system_has_them(tmp_path):
    """A process that is killed while it writes leaves nothing: the file has no name yet."""
    script = (
        "import os, signal, sys; from assay.output_files import OutputFiles\n"
        "files = OutputFiles(); files.place(sys.argv[1]).write_text('half')\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    (tmp_path / "old").write_text("old")
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path / "old")], check=False)  # noqa: S603
    assert done.returncode == -9
    try:
        os.close(os.open(tmp_path, getattr(os, "O_TMPFILE", 0) | os.O_RDWR))
    except OSError:
        pytest.skip("files of this folder cannot do without a name")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["old"]


def test_links_are_followed(way, tmp_path):
    """The file that a link names is replaced, and the link stays; one that leads nowhere gets its file."""
    (tmp_path / "real").write_text("old")
    (tmp_path / "folder").mkdir()
    for name, target in (("link", "real"), ("second", "link"), ("dangling", "folder/fresh")):
        (tmp_path / name).symlink_to(target)
        write_file(tmp_path / name, name)
        assert (tmp_path / name).is_symlink()
        assert (tmp_path / name).read_text() == name
    assert not (tmp_path / "real").is_symlink()
    assert (tmp_path / "folder" / "fresh").read_text() == "dangling"
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(FileError, match=r"loop cannot be written: .*symbolic links"):
        write_file(tmp_path / "loop", "")
    (tmp_path / "lost").symlink_to("gone/file")
    with pytest.raises(FileError, match=r"there is no folder .*gone"):
        write_file(tmp_path / "lost", "")


def test_a_named_pipe_is_written_through(way, tmp_path):
    """Its reader gets all of it, and it stays a pipe."""
    os.mkfifo(tmp_path / "pipe")
    got = []
    reader = threading.Thread(target=lambda: got.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    write_file(tmp_path / "pipe", b"rows" * 100_000)
    reader.join(20)
    assert got == [b"rows" * 100_000]
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    assert len(list(tmp_path.iterdir())) == 1


def test_a_device_is_written_through(way, tmp_path):
    """A device that was made in a scratch folder is still one afterwards; a full one is told."""
    for name, number in (("null", 3), ("full", 7)):
        try:
            os.mknod(tmp_path / name, stat.S_IFCHR | 0o666, os.makedev(1, number))
            (tmp_path / name).open("wb").close()
        except OSError as refused:
            pytest.skip(f"devices cannot be made or opened here: {refused.strerror}")
    (tmp_path / "link").symlink_to("null")
    write_file(tmp_path / "null", "gone")
    write_file(tmp_path / "link", "gone")
    with pytest.raises(FileError, match=r"full cannot be written: No space left on device"):
        write_file(tmp_path / "full", "gone")
    assert all(stat.S_ISCHR((tmp_path / name).stat().st_mode) for name in ("null", "full", "link"))
    assert (tmp_path / "link").is_symlink()
    assert len(list(tmp_path.iterdir())) == 3


def test_a_descriptor_is_written_where_it_is(way, tmp_path):
    """What /dev/stdout is, a link to an open file, appends to that file and stays a link."""
    if not os.path.exists("/proc/self/fd"):  # noqa: PTH110
        pytest.skip("descriptors have no paths here")
    with (tmp_path / "log").open("ab") as log:
        log.write(b"first\n")
        log.flush()
        (tmp_path / "stdout").symlink_to(f"/proc/self/fd/{log.fileno()}")
        write_file(tmp_path / "stdout", "second\n")
    assert (tmp_path / "log").read_text() == "first\nsecond\n"
    assert (tmp_path / "stdout").is_symlink()
    with pytest.raises(FileError, match="cannot be written"):
        write_file(tmp_path / "stdout", "third\n")  # it is closed now
    assert (tmp_path / "stdout").is_symlink()


def test_a_file_that_is_read_is_refused_by_any_name(way, tmp_path):
    """Links of both kinds and other spellings lead to the same device and inode."""
    (tmp_path / "rows").write_text("rows")
    (tmp_path / "hard").hardlink_to(tmp_path / "rows")
    (tmp_path / "soft").symlink_to("rows")
    (tmp_path / "folder").mkdir()
    for name in ("rows", "hard", "soft", "folder/../rows"):
        with pytest.raises(FileError, match="is read from"):
            check_output(tmp_path / name, [identity(tmp_path / "rows")])
    with OutputFiles() as files:
        files.write(tmp_path / "out", "")
        with pytest.raises(FileError, match="written twice"):
            files.place(tmp_path / "folder" / ".." / "out")


@pytest.mark.parametrize("name", ["", "-", ".", "new/", "gone/file", "a\0b"])
def test_what_is_no_file_to_write_is_refused(name, tmp_path, monkeypatch):
    """A folder, nothing, standard output's sign, a folder that is not there, a name with a NUL."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileError):
        check_output(name)


def test_a_folder_that_may_not_be_written_is_told(way, tmp_path, monkeypatch):
    """Whatever the system says of it."""

    def refuse(*_, **__):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(output_files.os, "open", refuse)
    with pytest.raises(FileError, match=r"out cannot be written: Read-only file system\."):
        check_output(tmp_path / "out")


def test_many_files_are_not_all_held_open(tmp_path):
    """A split may write thousands, and a process hold a thousand open."""
    with OutputFiles() as files:
        for number in range(450):
            files.write(tmp_path / str(number), str(number))
        assert len(os.listdir("/proc/self/fd" if os.path.exists("/proc/self/fd") else "/dev/fd")) < 350  # noqa: PTH110, PTH208
        with pytest.raises(FileError, match="written twice"):
            files.place(tmp_path / "7")
    assert sorted(int(path.read_text()) for path in tmp_path.iterdir()) == list(range(450))


def test_root_leaves_a_file_to_its_owner(way, tmp_path):
    """What another user owns is still theirs once it is replaced."""
    (tmp_path / "old").write_text("old")
    try:
        os.chown(tmp_path / "old", 12345, 12345)
    except PermissionError:
        pytest.skip("only root may give files away")
    write_file(tmp_path / "old", "new")
    assert ((tmp_path / "old").stat().st_uid, (tmp_path / "old").read_text()) == (12345, "new")
