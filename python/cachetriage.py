"""cachetriage from Python: profiles as data frames, verdicts and sweeps as functions.

    import cachetriage
    profile = cachetriage.read_profile("bfs.profile")
    profile["SN"].query("scope == 'all' and metric == 'l1_miss_rate'")
    cachetriage.triage("bfs.profile", mechanism=["tag-split"])
    cachetriage.sweep({"llc.size": ["2MiB", "4MiB"], "sms": "10..68:29"}, "bfs.profile", system=["morpheus"])

Profiles are read by the shared library, through ctypes; triage() and sweep() run the commands, which do every job in a
process of its own. Both are found beside this module, in the same prefix, or where CACHETRIAGE_LIBRARY (a file) and
CACHETRIAGE_BIN (a folder) say. Data frames are pandas'. What fails is an exception: an Error, which carries the status of
the library, or of the command, and what was found all the same in `frame`.
"""
import ctypes
import glob
import io
import os
import subprocess

__all__ = ["Error", "UsageError", "InputError", "FileError", "read_profile", "triage", "sweep"]

PROGRAM_PREFIX = "@PROGRAM_PREFIX@"
if PROGRAM_PREFIX.startswith("@"):  # in the source tree
    PROGRAM_PREFIX = ""


class Error(Exception):
    """What went wrong, in one line. status: of the library (below 0) or of the command; frame: rows that are there."""

    def __init__(self, text, status=None, frame=None):
        super().__init__(text)
        self.status = status
        self.frame = frame


class UsageError(Error, ValueError):
    """Something impossible was asked for."""


class InputError(Error, ValueError):
    """A profile is damaged, or of a version that is not known."""


class FileError(Error, OSError):
    """A file cannot be opened or read."""


_ERRORS = {-1: UsageError, -2: InputError, -3: FileError, -5: InputError}


def _pandas():
    try:
        import pandas
    except ImportError as error:
        raise ImportError("cachetriage needs pandas (Debian: python3-pandas)") from error
    return pandas


def _above():
    """The folders above this module, the nearest first."""
    folder = os.path.dirname(os.path.abspath(__file__))
    while True:
        yield folder
        if os.path.dirname(folder) == folder:
            return
        folder = os.path.dirname(folder)


# ---- the library ----

class _Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("text", ctypes.c_char * 2048)]


class _Record(ctypes.Structure):
    _fields_ = [("type", ctypes.c_char_p), ("nfields", ctypes.c_uint), ("field", ctypes.POINTER(ctypes.c_char_p))]


class _Column(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("kind", ctypes.c_int)]


class _RecordType(ctypes.Structure):  # its first members; the library owns it
    _fields_ = [("name", ctypes.c_char_p), ("columns", ctypes.POINTER(_Column)), ("n_columns", ctypes.c_uint),
                ("n_optional", ctypes.c_uint)]


_TEXT, _COUNT, _REAL, _ANY = range(4)
_library = None


def _find_library():
    names = [os.environ["CACHETRIAGE_LIBRARY"]] if "CACHETRIAGE_LIBRARY" in os.environ else []
    if not names:
        for folder in _above():
            for sub in ("lib", "lib/*", "build/lib"):
                names += sorted(glob.glob(os.path.join(folder, sub, "libcachetriage.so.*")))
            if names:
                break
    for name in names:
        try:
            return ctypes.CDLL(name)
        except OSError as error:
            raise FileError("%s: %s" % (name, error), -3) from error
    raise FileError("libcachetriage.so was not found: name it in CACHETRIAGE_LIBRARY", -3)


def _open_library():
    global _library
    if _library is None:
        lib = _find_library()
        pointer = ctypes.c_void_p
        lib.ct_source_open.argtypes = [ctypes.POINTER(pointer), ctypes.c_char_p, pointer, ctypes.POINTER(_Error)]
        lib.ct_source_close.argtypes = [pointer]
        lib.ct_source_close.restype = None
        lib.ct_profile_read.argtypes = [ctypes.POINTER(pointer), pointer, ctypes.c_int, ctypes.POINTER(_Error)]
        lib.ct_profile_free.argtypes = [pointer]
        lib.ct_profile_free.restype = None
        lib.ct_profile_count.argtypes = [pointer]
        lib.ct_profile_count.restype = ctypes.c_size_t
        lib.ct_profile_at.argtypes = [pointer, ctypes.c_size_t]
        lib.ct_profile_at.restype = ctypes.POINTER(_Record)
        lib.ct_record_type.argtypes = [ctypes.c_char_p]
        lib.ct_record_type.restype = ctypes.POINTER(_RecordType)
        _library = lib
    return _library


def _check(status, error):
    if status < 0:
        raise _ERRORS.get(status, Error)(error.text.decode("utf-8", "replace"), status)


def _columns(lib, kind, width):
    """Names and kinds of the columns of a record type; of one that the library does not know, numbers."""
    known = lib.ct_record_type(kind.encode())
    columns = []
    if known:
        t = known.contents
        columns = [(t.columns[i].name.decode(), t.columns[i].kind) for i in range(t.n_columns + t.n_optional)]
    return columns[:width] + [("field%d" % i, _TEXT) for i in range(len(columns), width)]


def _frame(lib, kind, rows):
    pandas = _pandas()
    columns = _columns(lib, kind, max(len(row) for row in rows))
    frame = pandas.DataFrame([row + [None] * (len(columns) - len(row)) for row in rows], columns=[n for n, _ in columns])
    for name, what in columns:
        if what in (_COUNT, _REAL):
            frame[name] = pandas.to_numeric(frame[name].replace("NA", None), errors="coerce")
    return frame


def read_profile(path, verify=True):
    """The profile in a file, plain or compressed: a data frame for each record type, by its name ("SN", "ES" ...), with the
    columns of cachetriage-profile(5). NA is a missing value. verify: refuse one without a right EN record."""
    _pandas()
    lib = _open_library()
    error, source, profile = _Error(), ctypes.c_void_p(), ctypes.c_void_p()
    rows = {}
    _check(lib.ct_source_open(ctypes.byref(source), os.fsencode(path), None, ctypes.byref(error)), error)
    try:
        _check(lib.ct_profile_read(ctypes.byref(profile), source, int(verify), ctypes.byref(error)), error)
        for i in range(lib.ct_profile_count(profile)):
            record = lib.ct_profile_at(profile, i).contents
            fields = [record.field[k].decode("utf-8", "replace") for k in range(record.nfields)]
            rows.setdefault(record.type.decode(), []).append(fields)
    finally:
        lib.ct_profile_free(profile)
        lib.ct_source_close(source)
    return {kind: _frame(lib, kind, some) for kind, some in rows.items()}


# ---- the commands ----

def _find_command(name):
    name = PROGRAM_PREFIX + name
    folders = [os.environ["CACHETRIAGE_BIN"]] if "CACHETRIAGE_BIN" in os.environ else \
        [os.path.join(folder, sub) for folder in _above() for sub in ("bin", "build/bin")]
    for folder in folders:
        command = os.path.join(folder, name)
        if os.access(command, os.X_OK) and os.path.isfile(command):
            return command
    raise FileError("%s was not found: name its folder in CACHETRIAGE_BIN" % name, -3)


def _words(options):
    """threads=4, set=["l1.size=64KiB"], quiet=True as options of a command."""
    words = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is True:
            words.append(option)
        elif name in ("set", "require"):
            for one in [value] if isinstance(value, str) else value:
                words += [option, one]
        elif value is not None and value is not False:
            words += [option, value if isinstance(value, str) else
                      ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)]
    return words


def _run(command, words, accept=(0,)):
    """The CSV that a command prints, as a data frame."""
    pandas = _pandas()
    done = subprocess.run([_find_command(command)] + words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    frame = pandas.read_csv(io.BytesIO(done.stdout)) if done.stdout else None
    if done.returncode not in accept:
        text = done.stderr.decode("utf-8", "replace").strip() or "ended with %d" % done.returncode
        kind = UsageError if done.returncode == 2 and frame is None else Error
        raise kind(text, done.returncode, frame)
    return frame


def triage(*inputs, **options):
    """The verdicts of triage(1) on traces and profiles as a data frame. Options are those of the command: mechanism=["all"],
    threads=4, set=["l1.size=64KiB"], scale="auto". Inputs that fail, and requirements that do not hold, are an Error, whose
    frame has the others' rows."""
    return _run("triage", ["-q", "-O", "csv"] + _words(options) + ["--"] + [os.fspath(i) for i in inputs])


def sweep(keys, *inputs, **options):
    """The points of sweep(1) as a data frame. keys: what to vary, {"llc.size": ["2MiB", "4MiB"], "sms": "10..68:29"}.
    Options are those of the command: system=["morpheus"], metric=["speedup"], resume="state", budget="15m". Points that
    fail are an Error, whose frame has all rows."""
    lists = ["%s=%s" % (key, value if isinstance(value, str) else
                        ",".join(map(str, value)) if hasattr(value, "__iter__") else value)
             for key, value in keys.items()]
    return _run("sweep", ["-q", "-O", "csv"] + _words(options) + lists + ["--"] + [os.fspath(i) for i in inputs])
