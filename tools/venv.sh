#!/bin/sh
# Sets up .venv with an editable install of this checkout, its development tools and, where there is none, a Java.
# Fast when nothing changed: the stamps contain everything that the environment depends on, and are written last.
set -eu
cd "$(dirname "$0")/.."
stamp=.venv/ivme-stamp
java_stamp=.venv/ivme-java-stamp
export IVME_PURE=1 # `make kernel` compiles, with the tools of .venv

fail() {
    echo "ivme: $*" >&2
    exit 1
}

wanted() { # the contents of the stamp; with the path, because an editable install points at it
    pwd -P
    cat pyproject.toml
}

java_wanted() { # where ivme.spark.java looks
    echo "JAVA_HOME=${JAVA_HOME:-} java=$(command -v java || :)"
}

set_up_java() { # Spark needs one; without it the tests of Spark are skipped
    if java_wanted | cmp -s - "$java_stamp"; then
        return
    fi
    if ! problem=$(.venv/bin/python -m ivme.spark.java); then
        echo "ivme: no Java 17 or newer: installing one into .venv (the extra jre)"
        if ! .venv/bin/python -m pip install -qq --retries 0 --disable-pip-version-check --editable '.[jre]' ||
            ! problem=$(.venv/bin/python -m ivme.spark.java); then
            echo "ivme: the tests of Spark will be skipped: ${problem%, or run: *}" >&2
            return
        fi
    fi
    java_wanted >"$java_stamp.new"
    mv "$java_stamp.new" "$java_stamp"
}

usable() { # false also if the interpreter behind .venv was removed or changed its version
    .venv/bin/python -I -c '
import importlib.util, sys
sys.exit(any(importlib.util.find_spec(name) is None for name in ("pip", "attrs", "pytest", "ivme")))
' 2>/dev/null
}

python_as_asked() { # true unless PYTHON names another interpreter than that of .venv
    [ -z "${PYTHON:-}" ] || [ "$(base_of "$PYTHON")" = "$(base_of .venv/bin/python)" ]
}

base_of() {
    "$1" -I -c 'import sys; print(sys.base_prefix, *sys.version_info[:3])' 2>/dev/null || echo "none: $1"
}

if [ -f "$stamp" ] && usable && python_as_asked; then
    if wanted | cmp -s - "$stamp"; then
        set_up_java
        exit 0
    fi
    fresh=no
else
    fresh=yes
fi

if [ "$fresh" = yes ]; then
    python=
    problem="needs Python 3.11 or newer, and found none (set PYTHON=/path/to/python)"
    for candidate in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11 python}; do
        if ! "$candidate" -I -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            [ -z "${PYTHON:-}" ] || problem="PYTHON=$candidate is not a Python 3.11 or newer"
            continue
        fi
        if "$candidate" -I -c 'import ensurepip, venv' 2>/dev/null; then
            python=$candidate
            break
        fi
        problem="$candidate lacks the venv or ensurepip module (Debian and Ubuntu: install python3-venv)"
    done
    [ -n "$python" ] || fail "$problem"
    echo "ivme: making .venv with $("$python" -V)"
    rm -rf .venv
    "$python" -m venv .venv || fail "$python could not make .venv"
fi

echo "ivme: installing the development tools into .venv"
rm -f "$stamp" "$java_stamp"
.venv/bin/python -m pip install -qq --disable-pip-version-check --editable '.[dev]' ||
    fail "pip could not install the development tools (is a package index reachable?)"
wanted >"$stamp.new"
mv "$stamp.new" "$stamp"
set_up_java
