"""Collections of judgements and exports of annotation tools: records that list what each of their raters gave."""

from __future__ import annotations

import json

import pytest

from haechi import stats

SCORES = [(5, 4, 5), (2, 2, 3), (4, 1, 2), (1, 1, 1), (3, 5, 4), (2, 4, 4)]


def by_object(n, row):
    return {
        "id": f"d{n}",
        "text": "…",
        "marks": [{"fluency": v, "sense": 6 - v} for v in row],
        "refs": ["a", "b"],
    }


def by_number(n, row):
    return {"context": "…", "marks": {"fluency": list(row), "sense": [6 - v for v in row]}, "system": "x"}


def by_system(n, row):
    half = {"reply": "…", "model": "A", "fluency": list(row), "sense": [6 - v for v in row]}
    return {"context": "…", "replies": [half, {**half, "model": "B"}]}


def by_tool(n, row):
    people = list(zip(("kim", "lee", "park"), row, strict=True))
    people = people[n % 3 :] + people[: n % 3]  # the order in the list says nothing about the person
    lists = {
        "fluency": [{"user_id": who, "value": v} for who, v in people],
        "sense": [{"user_id": who, "value": 6 - v} for who, v in people],
    }
    return {"id": n, "status": "completed", "fields": {"prompt": "…"}, "responses": lists}


def by_parallel_lists(n, row):
    people = list(zip(("kim", "lee", "park"), row, strict=True))
    people = people[n % 3 :] + people[: n % 3]
    return {
        "id": n,
        "fluency": [v for _, v in people],
        "sense": [6 - v for _, v in people],
        "annotators": [who for who, _ in people],
    }


def found_in(haechi, write, shape, *options):
    records = [shape(n, row) for n, row in enumerate(SCORES)]
    done = haechi("agree", write("r.json", json.dumps(records)), *options, "--json", "--lang", "en")
    return done, done.json["criteria"] if done.code == 0 else {}


@pytest.mark.parametrize("shape", [by_object, by_number, by_system, by_tool, by_parallel_lists])
def test_every_rater_of_a_record_is_one(haechi, write, shape):
    done, found = found_in(haechi, write, shape)
    assert set(found) == {"fluency", "sense"}
    times = 2 if shape is by_system else 1
    for one in found.values():
        assert (one["n_items"], one["n_raters"], one["n_ratings"]) == (6 * times, 3, 18 * times)
    alpha = stats.krippendorff_alpha(SCORES * times, level="interval")
    assert found["fluency"]["krippendorff_alpha"]["value"] == pytest.approx(float(alpha))
    assert "told apart by their place" in done.err


@pytest.mark.parametrize("shape", [by_tool, by_parallel_lists])
def test_a_person_is_the_same_in_every_place(haechi, write, shape):
    _, found = found_in(haechi, write, shape)
    pair = next(one for one in found["fluency"]["pairs"] if {one["a"], one["b"]} == {"kim", "park"})
    assert abs(pair["mean_difference"]["value"]) == pytest.approx(2 / 6)  # 17 and 19 over the six items


def test_several_columns_name_the_item(haechi, write):
    records = [{**by_object(n // 2, row), "model": "AB"[n % 2]} for n, row in enumerate(SCORES)]
    file = write("r.json", json.dumps(records))
    refused = haechi("agree", file, "--lang", "en")
    assert (refused.code, "--map item=COLUMN --map item=OTHER" in refused.err) == (1, True)
    done = haechi("agree", file, "--map", "item=id", "--map", "item=model", "--json")
    assert done.json["criteria"]["fluency"]["n_items"] == 6
    wrong = haechi("agree", file, "--map", "item=id", "--map", "item=modle", "--lang", "en")
    assert (wrong.code, 'did you mean "model"?' in wrong.err) == (1, True)
    twice = haechi("agree", file, "--map", "rater=id", "--map", "rater=model", "--lang", "en")
    assert (twice.code, "several columns for rater" in twice.err) == (1, True)


def test_lists_that_are_no_ratings_stay_what_they_are(haechi, write):
    rows = [
        {
            "item": n,
            "rater": who,
            "value": n % 3,
            "spans": [1, 2, 3],
            "messages": [{"role": "user", "content": "a"}],
        }
        for n in range(4)
        for who in "ab"
    ]
    done = haechi("agree", write("r.json", json.dumps(rows)), "--json")
    assert done.json["criteria"]["overall"]["n_ratings"] == 8


def task(n, row, **more):
    def annotation(who, value):
        def result(name, kind, given):
            return {"id": "x", "from_name": name, "to_name": "text", "type": kind, "value": {kind: given}}

        results = [
            result("quality", "rating", value),
            result("tone", "choices", ["kind" if value > 2 else "cold"]),
            result("why", "textarea", ["…"]),
        ]
        return {
            "id": 1,
            "completed_by": who,
            "result": results,
            "was_cancelled": False,
            "created_at": "2026-11-03",
        }

    people = [annotation({"id": k, "email": f"r{k}@x.kr"}, value) for k, value in enumerate(row)]
    return {"id": n, "data": {"text": "…"}, "annotations": people, "predictions": [], **more}


def test_tasks_of_label_studio(haechi, write):
    tasks = [task(n, row) for n, row in enumerate(SCORES)]
    tasks[0]["annotations"][2]["was_cancelled"] = True
    done = haechi("agree", write("ls.json", json.dumps(tasks)), "--json", "--lang", "en")
    found = done.json["criteria"]
    assert {name: (one["n_raters"], one["n_ratings"]) for name, one in found.items()} == {
        "quality": (3, 17),
        "tone": (3, 17),
    }
    assert found["tone"]["level"] == "nominal"
    assert "textarea 17, was_cancelled 3" in done.err


@pytest.mark.parametrize("ending", ["json", "csv"])
def test_the_short_exports_of_label_studio(haechi, write, ending):
    rows = [
        {
            "id": n,
            "tone": "ab"[value % 2],
            "quality": [{"rating": value}],
            "annotator": k,
            "annotation_id": 40 + n * 3 + k,
        }
        for n, row in enumerate(SCORES)
        for k, value in enumerate(row)
    ]
    text = json.dumps(rows)
    if ending == "csv":
        cells = [
            ",".join(
                [
                    str(r["id"]),
                    r["tone"],
                    f'"[{{""rating"": {r["quality"][0]["rating"]}}}]"',
                    str(r["annotator"]),
                ]
            )
            for r in rows
        ]
        text = "\n".join(["id,tone,quality,annotator", *cells])
    done = haechi("agree", write(f"ls.{ending}", text), "--json", "--lang", "en")
    alpha = stats.krippendorff_alpha(SCORES, level="interval")
    assert done.json["criteria"]["quality"]["krippendorff_alpha"]["value"] == pytest.approx(float(alpha))
    assert "'tone'" in done.err  # labels that were not read are named


def test_a_choice_of_prodigy(haechi, write):
    lines = [
        json.dumps(
            {
                "text": "…",
                "_input_hash": n,
                "accept": [value],
                "answer": "accept",
                "_annotator_id": f"p{k}",
                "_session_id": f"p{k}",
            }
        )
        for n, row in enumerate(SCORES)
        for k, value in enumerate(row)
    ]
    done = haechi("agree", write("p.jsonl", "\n".join(lines)), "--json")
    assert done.json["criteria"]["accept"]["n_ratings"] == 18


@pytest.mark.parametrize("name", ["label", "Scores", "라벨"])
def test_the_column_of_values_by_other_names(haechi, write, name):
    text = f"id,worker,{name}\n" + "".join(f"{n},{who},{'AB'[n % 2]}\n" for n in range(6) for who in "xy")
    done = haechi("agree", write("r.csv", text), "--json")
    assert done.json["criteria"]["overall"]["krippendorff_alpha"]["value"] == 1.0


@pytest.mark.parametrize("wrong", ["text", [1, "x"], [{"fluency": 1}, None]])
def test_a_record_that_lists_something_else_is_refused_with_its_place(haechi, write, wrong):
    records = [by_object(n, SCORES[n % 6]) for n in range(320)]  # beyond what is looked at first
    records[310]["marks"] = wrong
    refused = haechi("agree", write("r.json", json.dumps(records)), "--lang", "en")
    assert (refused.code, "Traceback" in refused.err) == (1, False)


@pytest.mark.parametrize("shape", [by_object, by_number])
def test_records_without_ratings_are_counted(haechi, write, shape):
    records = [shape(n, row) for n, row in enumerate(SCORES)]
    records[2].pop("marks")
    done = haechi("agree", write("r.json", json.dumps(records)), "--json", "--lang", "en")
    assert done.json["criteria"]["fluency"]["n_items"] == 5
    assert "1 records list no ratings" in done.err
