"""The reasons why a figure is undefined, each worded once."""

from __future__ import annotations

from haechi.stats.figure import Why

NOTHING = Why("값이 있는 평가가 하나도 없습니다", "there is no rating with a value")
ONE_RATER = Why("평가자가 두 명 이상이어야 합니다", "at least two raters are needed")
NO_PAIR = Why("두 명 이상이 평가한 항목이 없습니다", "no item was rated by two or more raters")
ALL_IDENTICAL = Why(
    "모든 평가가 같은 값이어서 분산이 없습니다",
    "all ratings are the same value: there is no variance to explain",
)
ONE_ITEM = Why("항목이 두 개 이상이어야 합니다", "at least two items are needed")
ITEMS_ALIKE = Why(
    "항목들의 평균이 서로 다르지 않아 항목 간 분산을 추정할 수 없습니다",
    "the items' means do not differ: no variance between items can be estimated",
)
CONSTANT = Why("한쪽의 값이 모두 같아 분산이 없습니다", "one side is constant: it has no variance")
CERTAIN_BY_CHANCE = Why(
    "모두 같은 범주만 사용하여 우연 일치가 1이므로 정의되지 않습니다",
    "only one category was used, so agreement by chance is 1 and the coefficient is undefined",
)
NEED_NUMBERS = Why(
    "명목 수준의 값에는 계산하지 않습니다. 서열 이상의 수준에서만 허용됩니다",
    "not permitted for nominal ratings: the values are names, not amounts",
)
NEED_ORDER = Why(
    "명목 수준의 값에는 순서가 없어 계산하지 않습니다",
    "not permitted for nominal ratings: the values have no order",
)
NEGATIVE_RATIO = Why(
    "비율 수준은 0 이상의 값만 허용하는데 음수가 있습니다",
    "the ratio level permits no negative values, and there are some",
)
EQUAL_STEPS = Why(
    "서열 척도의 간격이 같다고 가정한 값입니다",
    "assumes equal steps between the points of an ordinal scale",
)
AS_CATEGORIES = Why(
    "값의 크기를 보지 않고 같은지 다른지만 본 값입니다",
    "looks only at whether values are equal, not at how far apart they are",
)
UNBOUNDED = Why("구간의 한쪽 끝이 정해지지 않습니다", "one end of the interval is not bounded for these data")


BELOW_CHANCE = Why(
    "검정통계량이 우연만으로 나올 값보다도 작아 구간을 정할 수 없습니다",
    "the statistic is smaller than chance alone would make it, so there is no interval",
)


def fewer_than(need: int, what_ko: str, what_en: str, have: int) -> Why:
    """Too little of something.

    >>> fewer_than(4, "쌍", "pairs", 3).en
    'at least 4 pairs are needed, there are 3'
    """
    return Why(
        f"{what_ko} {need}개 이상이 필요한데 {have}개입니다",
        f"at least {need} {what_en} are needed, there are {have}",
    )


def too_many_categories(have: int, most: int) -> Why:
    """A coefficient for categories was asked of what is practically a continuous quantity."""
    return Why(
        f"서로 다른 값이 {have}개여서 범주로 볼 수 없습니다(최대 {most}개)",
        f"{have} distinct values are no categories (at most {most})",
    )
