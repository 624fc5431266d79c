#!/usr/bin/env python3
"""Runs a decoder under test (plugin-v3.md, section 18) on the vectors and compares its verdicts. See README.md."""

import argparse, base64, json, os, signal, subprocess, sys
from pathlib import Path

WATCHDOG, PATIENCE = 5, 5  # seconds for a run, and one more per 256 KiB; vectors that may hang before the rest counts as failed
hanging = []


def join(value):
    """The bytes of a string, or of an array of parts."""
    if isinstance(value, list):
        return b"".join(map(join, value))
    if isinstance(value, str):
        return value.encode()
    return join(value["repeat"]) * value["times"] if "repeat" in value else base64.b64decode(value["base64"], validate=True)


def load(direction):
    vectors, keys = [], {}
    unfold = lambda item: item["repeat"] * item["times"] if item.keys() == {"repeat", "times"} else item
    for number, text in enumerate((Path(__file__).parent / "plugin-v3" / f"{direction}.jsonl").read_bytes().splitlines(), 1):
        vector, where = json.loads(text), f"{direction}.jsonl, line {number}"
        sent = join(vector["stream"]) if "stream" in vector else join(vector["line"]) + b"\n"
        wanted = json.loads(plain(vector["expect"] if "stream" in vector else [vector["expect"]]), object_hook=unfold)
        code = next((verdict["refuse"] for verdict in wanted if "refuse" in verdict), None)
        key = vector["requirement"], code, vector.get("member"), vector["boundary"]
        if keys.setdefault(key, where) != where or "line" in vector and ("stream" in vector or sent.count(b"\n") > 1):
            sys.exit(f"{where}: must be one `line` or one `stream`, with a key of its own ({keys[key]})")
        name = " · ".join(vector[part] for part in ("requirement", "member", "boundary") if part in vector)
        vectors.append({"requirement": key[0], "name": f"{name} ({where})", "sent": sent, "wanted": wanted})
    return vectors


def plain(value):
    """The one spelling by which values are compared: true is not 1, and 3 is not 3.0."""
    return json.dumps(value, sort_keys=True)


def short(value):
    text = repr(value)[2:-1] if isinstance(value, bytes) else " ".join(map(plain, value)) or "nothing"
    return text if len(text) <= 240 else f"{text[:150]} …({len(text)} characters)… {text[-70:]}"


def decode(command, sent):
    """Runs the decoder once: its verdicts, and what was wrong with the run as such."""
    process = subprocess.Popen(command, stdin=-1, stdout=-1, stderr=-1, start_new_session=True)  # -1: a pipe
    try:
        out, err = process.communicate(sent, WATCHDOG + len(sent) / 2**18)
        verdicts = [json.loads(text) for text in out.splitlines()]
        numbers = [plain(verdict.pop("n")) for verdict in verdicts]
    except subprocess.TimeoutExpired:
        return [], "hangs"
    except (ValueError, LookupError, TypeError, AttributeError):
        return [], f"exit status {process.returncode}, and its output is no list of verdicts: {short(out)}"
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    if process.returncode:
        return verdicts, f"exit status {process.returncode}: {short(err[-200:])}"
    return verdicts, "" if numbers == [str(n + 1) for n in range(len(numbers))] else f"numbered {', '.join(numbers)}"


def judge(command, vectors):
    """Sends vectors as one stream; if that fails, halves it until the guilty one stands alone. Returns how many failed."""
    if not vectors or len(hanging) >= PATIENCE:
        return len(vectors)
    sent, wanted = b"".join(v["sent"] for v in vectors), [verdict for v in vectors for verdict in v["wanted"]]
    got, trouble = decode(command, sent)
    like = lambda g, w: list(g) in (["ok"], ["refuse"]) if "any" in w else plain(g) == plain(w)
    if not trouble and len(got) == len(wanted) and all(map(like, got, wanted)):
        return 0
    half = len(vectors) // 2
    failed = half and judge(command, vectors[:half]) + judge(command, vectors[half:])
    if not failed:
        print("FAIL", vectors[0]["name"] + (f" to {vectors[-1]['name']}: each half passes, both together fail" if half else ""))
        print(f"  sent     {short(sent)}\n  expected {short(wanted)}\n  got      {short(got)}{trouble and f'  ({trouble})'}")
        hanging.extend(vectors if trouble == "hangs" and not half else [])
    return failed or 1


parser = argparse.ArgumentParser(usage="run.py [--only PLG-209] [--only events] -- DECODER…", description=__doc__)
parser.add_argument("--only", action="append", default=[], metavar="WHAT", help="a requirement or a direction; all given must hold")
parser.add_argument("decoder", nargs="+", metavar="DECODER", help="a command; `commands` or `events` is added to it")
options = parser.parse_args()
total = failed = 0
for direction in ("commands", "events"):
    chosen = [v for v in load(direction) if all(word in (direction, v["requirement"]) for word in options.only)]
    total += len(chosen)
    for group in [[v for v in chosen if v["sent"].endswith(b"\n")]] + [[v] for v in chosen if not v["sent"].endswith(b"\n")]:
        try:
            failed += judge([*options.decoder, direction], group)
        except OSError as error:
            parser.error(f"cannot run the decoder: {error}")
if not total:
    parser.error(f"no vector for {' and '.join(options.only)}")
print(f"{total - failed} passed, {failed} failed")
sys.exit(failed > 0)
