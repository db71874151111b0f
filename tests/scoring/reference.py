"""The scoring of agent runs once more, plainly: one run after the other, rule after rule.

The tests hold the fast implementation against this one, and the benchmark takes it as the loop to beat.
It shares no code with the fast one but the rubric itself.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import orjson
import polars as pl
import reference_expectations as expectations

from haechi.rubrics.model import Rubric
from haechi.rubrics.parts import RunRules
from haechi.rubrics.scales import Bands, Verdict

BROKEN = "broken"
EVERY = ...


def measure(run: dict[str, Any], rules: RunRules) -> dict[str, Any]:
    """All measures of one run."""
    error = (run.get("error") or "").strip() or None
    failure, payload = parse(run.get("payload"))
    if failure is None and not said(payload) and not entries(payload):
        failure = "no answer"
    if error:
        failure = "error"
    failed = failure in ("error", "unparseable", "not an object")
    listed = run.get("accuracy_checks") or inside(payload.get("accuracyChecks"))
    lines = None if failed else lines_of(run.get("expected"), listed)
    checks = None if failed or lines is not None else checks_of(run.get("expected"), listed)
    return {
        "failed": failed,
        "failure": failure,
        "error": error,
        "seconds": seconds_of(payload, run.get("latency_ms")),
        "tool_class": class_of(payload, run.get("latency_class"), failed),
        "label": rules.failed if failed else label_of(payload, run.get("intent_label"), rules),
        "signature": "EMPTY" if failed else signature_of(payload, rules),
        "intent_verdict": (run.get("intent_verdict") or "").strip() or None,
        **(outcome_of(checks, payload) if lines is None else outcome_of_lines(lines, payload)),
    }


def lines_of(expected: str | None, listed: str | None) -> list[tuple[str, Any, Any]] | None:
    """The lines of an expectation that is written otherwise; None where there are checks, or nothing at all."""
    text = listed if (listed or "").strip() else None
    if text is not None:
        try:
            if orjson.loads(text) not in (None, []):
                return None
            text = None
        except orjson.JSONDecodeError:
            if text.lstrip()[:1] in ("[", "{"):
                return None
    if (
        text is not None
        and not re.search(r"@check(?=\s|$)", text, re.MULTILINE)
        and not expectations.lines_of(text)
    ):
        text = None
    text = expected or "" if text is None else text
    if re.search(r"@check(?=\s|$)", text, re.MULTILINE):
        return None
    return expectations.lines_of(text) or None


def outcome_of_lines(lines: list[tuple[str, Any, Any]], payload: dict[str, Any]) -> dict[str, Any]:
    passed = expectations.passing(lines, payload, equal)
    return {
        "checks_passed": float(sum(passed)) if passed else None,
        "checks_total": float(len(passed)) if passed else None,
        "check_ratio": sum(passed) / len(passed) if passed else None,
        "checks_open": len(lines) - len(passed),
    }


def parse(text: str | None) -> tuple[str | None, dict[str, Any]]:
    try:
        payload = orjson.loads(text or "")
    except orjson.JSONDecodeError:
        return "unparseable", {}
    return (None, payload) if isinstance(payload, dict) else ("not an object", {})


def said(payload: dict[str, Any]) -> str:
    message = payload.get("assistantMessage")
    return message.strip() if isinstance(message, str) else ""


def entries(payload: dict[str, Any]) -> list[Any]:
    listed = payload.get("dataUIList")
    if isinstance(listed, list):
        return listed
    if isinstance(listed, str):
        return [listed] if listed.strip() else []
    return [listed] if isinstance(listed, dict) and listed else []


def number_of(value: Any) -> int | float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return value
    if isinstance(value, str) and len(value) <= 400:
        text = value.strip()
        if re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", text):
            number = float(text)
            if math.isfinite(number):
                whole = re.fullmatch(r"-?[0-9]+", text) and -(2**63) <= int(text) < 2**64
                return int(text) if whole else number
    return None


def inside(listed: Any) -> str | None:
    """Checks inside the payload as the text of a column."""
    if listed is None or isinstance(listed, str):
        return listed
    try:
        return orjson.dumps(listed).decode()
    except TypeError:
        return None


def seconds_of(payload: dict[str, Any], latency_ms: float | None) -> float | None:
    own = number_of(payload.get("latency_ms"))
    milliseconds = (None if value is None else value / 1000 for value in (latency_ms, own))
    for value in (payload.get("responseTimeSec"), *milliseconds):
        number = number_of(value)
        if number is not None and 0 <= number < math.inf:
            return float(number)
    return None


def class_of(payload: dict[str, Any], given: str | None, failed: bool) -> str | None:
    stated = payload.get("latencyClass")
    given = ((given or "").strip() or (stated.strip() if isinstance(stated, str) else "")).upper()
    if given in ("SINGLE", "MULTI"):
        return given
    lists = (payload.get("executionProcesses"), payload.get("worker"))
    most = max(len(tools) if isinstance(tools, list) else 0 for tools in lists)
    if most >= 2:
        return "MULTI"
    return None if failed and most == 0 else "SINGLE"


def label_of(payload: dict[str, Any], given: str | None, rules: RunRules) -> str:
    if (given or "").strip():
        return given.strip().upper()
    for text in (what_was_done(said(payload)), said(payload)):
        for entry in rules.labels:
            for word in entry.words:
                if word in text:
                    return entry.label
    return rules.otherwise


def what_was_done(message: str) -> str:
    """The message without what stands in brackets or quotes, without courtesies and errors that did not happen."""
    for left, right in ("()", "（）", "[]", "“”", "‘’", "「」", "『』", '""', "''"):
        message = re.sub(f"{re.escape(left)}[^{re.escape(left + right)}]*{re.escape(right)}", " ", message)
    kept = []
    for sentence in re.split(r"(?<=[.!?。\n])", message):
        offers = ("하시면", "하신다면", "언제든", "궁금하", "더 도와", "문의해", "추가 문의", "도움이 필요")
        more = (
            "추가로 필요",
            "추가로 궁금",
            "추가로 도와",
            "추가로 말씀",
            "다른 문의",
            "다른 질문",
            "다른 요청",
            "다른 도움",
        )
        if not any(word in sentence for word in offers + more):
            kept.append(sentence)
    message = "".join(kept).replace("불가피", " ").replace("실패한 ", " ")
    message = re.sub("(오류|실패|에러)[가는도]? ?없[이었습어음는다]", " ", message)
    return re.sub("(실패|오류) ?(내역|이력|목록|로그|건수|현황)", " ", message)


def text_of(content: Any) -> str:
    """JSON text with sorted keys."""
    try:
        return orjson.dumps(content, option=orjson.OPT_SORT_KEYS).decode()
    except TypeError:  # too deep for orjson
        return deep_text(content)


def deep_text(content: Any) -> str:
    """The same for content that is nested deeper than the stack: innermost parts first, by depth."""
    order, waiting = [], [content]
    while waiting:
        part = waiting.pop()
        order.append(part)
        if isinstance(part, list):
            waiting += part
        elif isinstance(part, dict):
            waiting += part.values()
    texts: dict[int, str] = {}
    for part in reversed(order):
        if isinstance(part, list):
            texts[id(part)] = "[" + ",".join(texts[id(one)] for one in part) + "]"
        elif isinstance(part, dict):
            pairs = (f"{orjson.dumps(key).decode()}:{texts[id(part[key])]}" for key in sorted(part))
            texts[id(part)] = "{" + ",".join(pairs) + "}"
        else:
            texts[id(part)] = orjson.dumps(part).decode()
    return texts[id(content)]


def signature_of(payload: dict[str, Any], rules: RunRules) -> str:
    if not entries(payload):
        return "EMPTY"
    cores = []
    for entry in entries(payload):
        if not isinstance(entry, dict):
            cores.append(text_of(entry))
            continue
        shown = entry.get("uiValue")
        source = shown if isinstance(shown, dict) else entry
        cores.append(core_of(source, rules.signature))
    context = core_of(payload, [key for key in rules.signature if "." not in key])
    whole = "[" + ",".join([*sorted(cores, key=str.encode), context]) + "]"
    return hashlib.blake2b(whole.encode(), digest_size=16).hexdigest()


def core_of(source: dict[str, Any], keys: Sequence[str]) -> str:
    """The values of keys, those without a dot first."""
    found = [source.get(key) for key in keys if "." not in key]
    for key in keys:
        if "." in key:
            node: Any = source
            for step in key.split("."):
                node = node.get(step) if isinstance(node, dict) else None
            found.append(node)
    return text_of(found)


@lru_cache(maxsize=10_000)
def checks_of(expected: str | None, listed: str | None) -> list[dict[str, Any]]:
    """The checks as {name, steps, op, value, weight, units}; a broken one has the op `broken`.

    `units` is the weight in whole multiples of the smallest common part, so that ratios are exact.
    """
    checks = [c for c in (listed_checks(listed) or written_checks(expected)) if c["weight"] != 0]
    common = math.lcm(*(check["weight"].denominator for check in checks))
    return [{**check, "units": int(check["weight"] * common), "common": common} for check in checks]


def written_checks(expected: str | None) -> list[dict[str, Any]]:
    checks = []
    for line in (expected or "").splitlines():
        for entry in re.split(r"@check(?=\s|$)", line)[1:]:
            for part in map(str.strip, entry.split(";")):
                if part and not part.startswith("assistantMessage"):
                    checks.append(written_check(part))
    return checks


def written_check(part: str) -> dict[str, Any]:
    key, equals, value = part.partition("=")
    key = key.strip()
    op = "eq"
    if key.endswith("Contains"):
        key, op = key[: -len("Contains")], "contains"
    steps = steps_of(key)
    if not equals or steps is None:
        return broken(part, "not key=value")
    steps = ["dataUIList", EVERY, "uiValue", *steps]
    return {"name": short(part), "steps": steps, "op": op, "value": value.strip(), "weight": Fraction(1)}


def listed_checks(text: str | None) -> list[dict[str, Any]]:
    if not (text or "").strip():
        return []
    try:
        given = orjson.loads(text)
    except orjson.JSONDecodeError:
        if text.lstrip()[:1] not in ("[", "{"):
            return written_checks(text)
        return [broken(text, "accuracyChecks is not JSON")]
    if given is None:
        return []
    return [listed_check(one) for one in (given if isinstance(given, list) else [given])]


def listed_check(given: Any) -> dict[str, Any]:
    if not isinstance(given, dict):
        return broken(text_of(given), "not an object")
    path, op, value = given.get("path"), scalar(given.get("op")), given.get("value")
    name = f"{scalar(path)} {op}" + ("" if op == "exists" else " " + text_of(value))
    weight = number_of(given.get("weight", 1))
    if weight is None or not (weight == 0 or 1e-6 <= weight <= 1e6):
        return broken(name, "weight")
    exact = Fraction(str(weight))
    steps = steps_of(path) if isinstance(path, str) else None
    if steps is None:
        return broken(name, "path", exact)
    if op not in ("eq", "contains", "in", "regex", "exists"):
        return broken(name, "operator", exact)
    if op == "regex" and not (isinstance(value, str) and search(value, "") is not None):
        return broken(name, "regex", exact)
    if op == "in" and not isinstance(value, list):
        return broken(name, "not a list", exact)
    return {"name": short(name), "steps": steps, "op": op, "value": value, "weight": exact}


def broken(name: str, why: str, weight: Fraction = Fraction(1)) -> dict[str, Any]:
    return {"name": f"{short(name)} ({why})", "op": BROKEN, "weight": weight}


def short(name: str) -> str:
    line = " ".join(name.replace(";", ",").split())
    return line if len(line) <= 200 else line[:199] + "…"


def steps_of(path: str) -> list[Any] | None:
    """`a.b[0][*]` as keys, positions and EVERY."""
    path = path.strip()
    if path.startswith("$"):
        path = path[1:]
        path = path[1:] if path.startswith(".") else path
    steps: list[Any] = []
    while path:
        bracket = re.match(r"\[(\*|[0-9]{1,9})\]", path)
        key = re.match(r"\.?([^.\[\]]+)", path)
        if bracket:
            steps.append(EVERY if bracket[1] == "*" else int(bracket[1]))
            path = path[bracket.end() :]
        elif key and (path.startswith(".") == bool(steps)):
            steps.append(key[1].strip())
            path = path[key.end() :]
        else:
            return None
    return steps or None


def find(node: Any, steps: list[Any]) -> list[Any]:
    for place, step in enumerate(steps):
        if step is EVERY:
            inside = node if isinstance(node, list) else []
            return [value for one in inside for value in find(one, steps[place + 1 :])]
        if isinstance(step, str):
            node = node.get(step) if isinstance(node, dict) else None
        else:
            node = node[step] if isinstance(node, list) and step < len(node) else None
    return [] if node is None else [node]


def outcome_of(checks: list[dict[str, Any]] | None, payload: dict[str, Any]) -> dict[str, Any]:
    if not checks:
        return {
            "checks_passed": None,
            "checks_total": None,
            "check_ratio": None,
            "failing": None,
            "checks_open": None,
        }
    failing = [check for check in checks if not passes(check, payload)]
    total, common = sum(check["units"] for check in checks), checks[0]["common"]
    passed = total - sum(check["units"] for check in failing)
    return {
        "checks_passed": passed / common,
        "checks_total": total / common,
        "check_ratio": passed / total,
        "failing": "; ".join(check["name"] for check in failing) or None,
        "checks_open": 0,
    }


def passes(check: dict[str, Any], payload: dict[str, Any]) -> bool:
    if check["op"] == BROKEN:
        return False
    found, wanted = find(payload, check["steps"]), check["value"]
    match check["op"]:
        case "eq":
            return any(equal(value, wanted) for value in found)
        case "contains":
            return any(contains(value, wanted) for value in found)
        case "in":
            return any(equal(value, one) for value in found for one in wanted)
        case "regex":
            texts = [scalar(value) for value in found]
            return any(search(wanted, text) for text in texts if text is not None)
        case _:
            return bool(found)


def equal(found: Any, wanted: Any) -> bool:
    if found is None or wanted is None:
        return False
    if isinstance(found, str) and isinstance(wanted, str):
        return found.strip() == wanted.strip()
    if isinstance(found, list | dict) or isinstance(wanted, list | dict):
        return type(found) is type(wanted) and text_of(found) == text_of(wanted)
    if isinstance(found, bool) or isinstance(wanted, bool):
        truths = [v if isinstance(v, bool) else str(v).strip().lower() == "true" for v in (found, wanted)]
        spelled = [
            isinstance(v, bool) or str(v).strip().lower() in ("true", "false") for v in (found, wanted)
        ]
        numeric = any(isinstance(v, int | float) and not isinstance(v, bool) for v in (found, wanted))
        return all(spelled) and not numeric and truths[0] == truths[1]
    numbers = [number_of(found), number_of(wanted)]
    return None not in numbers and numbers[0] == numbers[1]


def contains(found: Any, wanted: Any) -> bool:
    if isinstance(found, list):
        return any(equal(one, wanted) for one in found)
    whole, part = scalar(found), scalar(wanted)
    return whole is not None and part is not None and part in whole


def scalar(value: Any) -> str | None:
    if isinstance(value, str):
        return value.strip()
    return None if value is None or isinstance(value, list | dict) else orjson.dumps(value).decode()


@lru_cache(maxsize=10_000)
def search(pattern: str, text: str) -> bool | None:
    """None when the pattern does not compile."""
    return pl.Series([text]).str.contains(pattern, strict=False)[0]


def score_all(runs: Iterable[dict[str, Any]], rubric: Rubric) -> list[dict[str, Any]]:
    """Measures and scores of all runs."""
    measured = [
        {
            **{name: run.get(name) for name in ("item", "round", "category")},
            "query": (run.get("query") or "").strip() or None,
            **measure(run, rubric.run),
        }
        for run in runs
    ]
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for run in measured:
        if run["query"] is not None:
            groups[run["query"]].append(run)
    repeats = {query: agreement(group) for query, group in groups.items()}
    classes = {query: Counter(run["tool_class"] for run in group) for query, group in groups.items()}
    for run in measured:
        others = classes.get(run["query"], Counter())
        if run["tool_class"] is None:
            run["tool_class"] = "MULTI" if others["MULTI"] > others["SINGLE"] else "SINGLE"
    scales = {criterion.key: criterion.scale for criterion in rubric.criteria}
    return [points({**run, **repeats.get(run["query"], NOT_REPEATED)}, scales) for run in measured]


NOT_REPEATED = {"runs": None, "modal_label": None, "ratio_a": None, "ratio_b": None}


def agreement(group: list[dict[str, Any]]) -> dict[str, Any]:
    labels, signatures = Counter(run["label"] for run in group), Counter(run["signature"] for run in group)
    n = len(group)
    modal = min(labels, key=lambda label: (-labels[label], label.encode()))
    return {
        "runs": n,
        "modal_label": modal,
        "ratio_a": labels[modal] / n if n > 1 else None,
        "ratio_b": max(signatures.values()) / n if n > 1 else None,
    }


def points(run: dict[str, Any], scale: dict[str, Any]) -> dict[str, Any]:
    """The six metrics and the overall score of the recruiting agent."""
    verdicts = scale["intent"].worth
    single, multi = run["tool_class"] == "SINGLE", run["tool_class"] == "MULTI"
    scores = {
        "intent": 0.0 if run["failed"] else verdicts.get((run["intent_verdict"] or "").upper()),
        "accuracy": 0.0 if run["failed"] else accuracy(scale["accuracy"], run),
        "consistency": (
            0.0 if run["ratio_a"] is None else min(5.0, max(0.0, (run["ratio_a"] + run["ratio_b"]) / 2 * 5))
        ),
        "latency_single": band(scale["latency_single"], run["seconds"]) if single else None,
        "latency_multi": band(scale["latency_multi"], run["seconds"]) if multi else None,
        "stability": 5.0 if run["failure"] is None else 0.0,
    }
    speed = scores["latency_single"] if single else scores["latency_multi"]
    parts = {**scores, "speed": speed}
    weights = {"intent": 20, "consistency": 10, "accuracy": 30, "speed": 20, "stability": 20}
    whole = None
    if all(parts[name] is not None for name in weights):
        whole = sum(parts[name] * weight for name, weight in weights.items()) / 100
    return {**run, **scores, "overall": whole}


def accuracy(scale: Bands | Verdict, run: dict[str, Any]) -> float | None:
    """Nothing at all to check is 0; lines that only somebody else can judge are missing."""
    return None if run["check_ratio"] is None and run["checks_open"] else band(scale, run["check_ratio"])


def band(scale: Bands | Verdict, value: float | None) -> float | None:
    assert isinstance(scale, Bands)
    found = None if value is None else scale.points_of(value)
    return scale.missing if found is None else found


SCORES = ("intent", "accuracy", "consistency", "latency_single", "latency_multi", "stability", "overall")


def summarise(scored: list[dict[str, Any]], by: Iterable[tuple[str, ...]]) -> list[dict[str, Any]]:
    """Number, means and distributions for the whole set and for each group."""
    rows = []
    for names in ((), *by):
        groups: dict[tuple[Any, ...], list[dict[str, Any]]] = defaultdict(list)
        for run in scored:
            groups[tuple([run[name] for name in names])].append(run)
        for key in sorted(groups, key=str):
            rows.append(summary_row(dict(zip(names, key, strict=True)), groups[key]))
    return rows


def summary_row(by: dict[str, Any], group: list[dict[str, Any]]) -> dict[str, Any]:
    times = [run["seconds"] for run in group if run["seconds"] is not None]
    row: dict[str, Any] = {"by": by, "n": len(group), "scores": {}}
    row["seconds"] = {
        "mean": math.fsum(times) / len(times) if times else None,
        "n": len(times),
        "without_time": len(group) - len(times),
    }
    for score in SCORES:
        values = Counter([run[score] for run in group])
        del values[None]
        n = values.total()
        distribution = dict.fromkeys("012345", 0)
        for value, times in values.items():
            distribution[str(math.floor(value + 0.5))] += times
        mean = math.fsum(value * times for value, times in values.items()) / n if n else None
        row["scores"][score] = {"mean": mean, "n": n, "distribution": distribution}
    return row
