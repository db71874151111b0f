"""A plan before a study as it shows itself, in commands and notebooks."""

from __future__ import annotations

from haechi.analysis.planning import Design, StudyPlan
from haechi.frozen import frozen
from haechi.report.table import Cell, Column, Table, table
from haechi.report.words import said
from haechi.text import in_english, plural


@frozen
class PlanResult(StudyPlan):
    """How many items and raters a goal takes: `best`, and the other `designs`, the cheapest first."""

    def tables(self) -> list[Table | str]:
        """The designs, and the best in words."""
        runs, cost = self.best.repeats is not None, self.best.cost is not None
        wide, power = self.best.width is not None, self.best.power is not None
        columns = [
            Column(said("질의", "queries") if runs else self._items(), "count"),
            Column(said("질의당 실행", "runs of each") if runs else self._raters(), "count"),
            Column(said("실행", "runs") if runs else said("평가", "ratings"), "count"),
            *([Column(said("구간의 폭", "width of the interval"))] if wide else []),
            *([Column(said("확률", "probability"), "coefficient")] if power else []),
            *([Column(said("비용", "cost"))] if cost else []),
        ]
        rows: list[list[Cell]] = [
            [
                one.items,
                one.repeats if runs else one.raters,
                one.ratings,
                *([one.width] if wide else []),
                *([one.power] if power else []),
                *([one.cost] if cost else []),
            ]
            for one in self.designs
        ]
        return [self.words, table(said("비용이 적은 순서", "Cheapest first"), columns, rows)]

    def _items(self) -> str:
        if self.goal.kind != "difference":
            return said("항목", "items")
        return said("쌍", "pairs") if self.goal.paired else said("집단당 항목", "items in each group")

    def _raters(self) -> str:
        return said("사람", "people") if self.goal.kind == "alt-test" else said("평가자", "raters")

    @property
    def words(self) -> str:
        """The best design in a sentence."""
        best, goal = self.best, self.goal
        many, ratings = f"{best.items:,}", f"{best.ratings:,}"
        if best.repeats is not None:
            return said(
                f"질의 {many}개를 {best.repeats}번씩(모두 {ratings}번) 실행하면 pass^{goal.k}의 95 % 구간의 폭이 "
                f"{best.width:.3f}입니다.",
                f"{many} queries with {best.repeats} runs each ({ratings} in all) give pass^{goal.k} an interval of width "
                f"{best.width:.3f}.",
            )
        who_ko, who_en = f"평가자 {best.raters}명", plural(best.raters, "rater")
        if goal.kind == "share":
            who_ko, who_en = "한 번씩", "one verdict on each"
        elif goal.kind == "alt-test":
            who_ko, who_en = f"사람 {best.raters}명과 AI 평가자", f"{best.raters} people and the judge"
        what_ko, what_en = f"항목 {many}개", f"{many} items"
        if goal.kind == "difference":
            what_ko = f"쌍 {many}개" if goal.paired else f"집단마다 항목 {many}개"
            what_en = f"{many} pairs" if goal.paired else f"{many} items in each group"
        then_ko, then_en = self._then(best)
        return said(
            f"{what_ko}, {who_ko}(평가 {ratings}건)이면 {then_ko}.",
            f"{what_en}, {who_en} ({ratings} ratings): {then_en}.",
        )

    def _then(self, best: Design) -> tuple[str, str]:
        goal, sure = self.goal, f"{100 * (best.power or 0):.0f} %"
        if goal.kind == "difference":
            return (
                f"{goal.value:g}의 차이를 {sure}의 확률로 찾습니다(양측 5 %)",
                f"a difference of {goal.value:g} is found with a probability of {sure} (two-sided, 5 %)",
            )
        if goal.kind == "gate":
            end_ko, end_en = (
                ("구간의 아래 끝이", "the lower end of the interval is")
                if goal.lower
                else ("평균이", "the mean is")
            )
            return (
                f"참 평균이 {self.assumed.mean:g}일 때 {end_ko} {goal.value:g} 이상일 확률이 {sure}입니다",
                f"with a true mean of {self.assumed.mean:g} {end_en} {goal.value:g} or more with a probability of {sure}",
            )
        if goal.kind == "alt-test":
            return (
                f"대체 평가자 검정이 ‘대신할 수 있다’고 할 확률이 {sure}입니다",
                f"the alternative annotator test says that the judge may replace people with a probability of {sure}",
            )
        whom_ko, whom_en = (
            ("새 평가자와 새 항목", "new raters and new items")
            if goal.new_raters
            else ("이 평가자들과 새 항목", "these raters and new items")
        )
        if goal.kind == "share":
            whom_ko, whom_en = "새 항목", "new items"
        return (
            f"95 % 구간의 폭이 {best.width:.3f}입니다({whom_ko}에 대한 구간)",
            f"the 95 % interval is {best.width:.3f} wide (it speaks for {whom_en})",
        )

    def __repr__(self) -> str:
        return f"<Plan: {in_english(lambda: self.words)}>"

    def _repr_html_(self) -> str:
        from haechi.report.html_parts import as_html

        return as_html(self.tables())
