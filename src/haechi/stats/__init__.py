"""Statistics of rating and comparison: arrays in, figures with intervals and reasons out.

Every function takes arrays or data frames and returns frozen results with `as_json(lang)`. A figure that is
not defined has no value and says why, in Korean and English; it is never NaN and never 0.

>>> import haechi.stats as stats
>>> round(stats.icc([[4, 5], [2, 3], [5, 5], [1, 2]])["ICC(2,1)"].value, 4)
0.8767
>>> stats.fleiss_kappa([[3], [4]]).why.en
'no item was rated by two or more raters'
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from haechi.stats.accuracy import JudgeAccuracy, corrected_prevalence, judge_accuracy
    from haechi.stats.agreement import Agreement, agreement
    from haechi.stats.alt_test import AltTest, alt_test
    from haechi.stats.behaviour import (
        Halo,
        RaterBehaviour,
        SelfConsistency,
        halo,
        rater_behaviour,
        self_consistency,
    )
    from haechi.stats.bland_altman import LimitsOfAgreement, bland_altman
    from haechi.stats.bootstrap import SEED
    from haechi.stats.bradley_terry import bradley_terry
    from haechi.stats.calibration import calibration
    from haechi.stats.clusters import Clustered
    from haechi.stats.cohen import cohen_kappa
    from haechi.stats.components import Components, components
    from haechi.stats.contingency import Contingency, contingency
    from haechi.stats.corrections import benjamini_hochberg, benjamini_yekutieli, bonferroni, holm
    from haechi.stats.correlation import kendall, pearson, spearman
    from haechi.stats.cronbach import cronbach_alpha
    from haechi.stats.dawid_skene import DawidSkene, dawid_skene
    from haechi.stats.disagreements import Disagreement, disagreements, lowest_agreement
    from haechi.stats.effective_judges import effective_judges
    from haechi.stats.equivalence import Equivalence, equivalence
    from haechi.stats.figure import Figure, Lang, Why
    from haechi.stats.fleiss import fleiss_kappa
    from haechi.stats.gain import Gain, paired_gain
    from haechi.stats.generalizability import Generalizability
    from haechi.stats.groups import Group, describe, split
    from haechi.stats.gwet import gwet_ac
    from haechi.stats.human_ai import HumanAI, human_ai
    from haechi.stats.human_pass_rate import human_pass_rate
    from haechi.stats.human_scale import HumanScale, human_scale_mean
    from haechi.stats.human_scale_difference import human_scale_difference, human_scale_paired
    from haechi.stats.icc import icc
    from haechi.stats.interaction import Interaction, interaction
    from haechi.stats.interpretation import Reading, interpret
    from haechi.stats.isotonic import Isotonic, isotonic
    from haechi.stats.item_draws import always_valid, inclusion_of_draws, items_alone, next_chances
    from haechi.stats.judge_effect import JudgeEffect, judge_effect, paired_effect
    from haechi.stats.judge_panels import JudgePanel, JudgePanels, judge_panels
    from haechi.stats.krippendorff import krippendorff_alpha
    from haechi.stats.many_samples import ManySamples, many_samples
    from haechi.stats.mcnemar import McNemar, mcnemar
    from haechi.stats.outcome import Outcome
    from haechi.stats.pair_design import next_pairs
    from haechi.stats.paired import Paired, paired
    from haechi.stats.percent_agreement import percent_agreement
    from haechi.stats.position import Position, position
    from haechi.stats.prediction_powered import PredictionPowered, prediction_powered_mean
    from haechi.stats.proportion import proportion, wilson
    from haechi.stats.quantile import quantile
    from haechi.stats.random_raters import WithOthers, random_raters
    from haechi.stats.ranks import Ranks, ranks
    from haechi.stats.rasch import Facet, ManyFacetRasch, many_facet_rasch
    from haechi.stats.ratings import LEVELS, Level, Matrix, encode_labels, matrix
    from haechi.stats.repeats import Stability, pass_hat_k, stability
    from haechi.stats.same_items import SameItems, same_items
    from haechi.stats.slope import slope
    from haechi.stats.strengths import BradleyTerry
    from haechi.stats.trend import Trend, trend
    from haechi.stats.two_samples import TwoSamples, two_samples
    from haechi.stats.votes import Votes

__all__ = [
    "LEVELS",
    "SEED",
    "Agreement",
    "AltTest",
    "BradleyTerry",
    "Clustered",
    "Components",
    "Contingency",
    "DawidSkene",
    "Disagreement",
    "Equivalence",
    "Facet",
    "Figure",
    "Gain",
    "Generalizability",
    "Group",
    "Halo",
    "HumanAI",
    "HumanScale",
    "Interaction",
    "Isotonic",
    "JudgeAccuracy",
    "JudgeEffect",
    "JudgePanel",
    "JudgePanels",
    "Lang",
    "Level",
    "LimitsOfAgreement",
    "ManyFacetRasch",
    "ManySamples",
    "Matrix",
    "McNemar",
    "Outcome",
    "Paired",
    "Position",
    "PredictionPowered",
    "Ranks",
    "RaterBehaviour",
    "Reading",
    "SameItems",
    "SelfConsistency",
    "Stability",
    "Trend",
    "TwoSamples",
    "Votes",
    "Why",
    "WithOthers",
    "agreement",
    "alt_test",
    "always_valid",
    "benjamini_hochberg",
    "benjamini_yekutieli",
    "bland_altman",
    "bonferroni",
    "bradley_terry",
    "calibration",
    "cohen_kappa",
    "components",
    "contingency",
    "corrected_prevalence",
    "cronbach_alpha",
    "dawid_skene",
    "describe",
    "disagreements",
    "effective_judges",
    "encode_labels",
    "equivalence",
    "fleiss_kappa",
    "gwet_ac",
    "halo",
    "holm",
    "human_ai",
    "human_pass_rate",
    "human_scale_difference",
    "human_scale_mean",
    "human_scale_paired",
    "icc",
    "inclusion_of_draws",
    "interaction",
    "interpret",
    "isotonic",
    "items_alone",
    "judge_accuracy",
    "judge_effect",
    "judge_panels",
    "kendall",
    "krippendorff_alpha",
    "lowest_agreement",
    "many_facet_rasch",
    "many_samples",
    "matrix",
    "mcnemar",
    "next_chances",
    "next_pairs",
    "paired",
    "paired_effect",
    "paired_gain",
    "pass_hat_k",
    "pearson",
    "percent_agreement",
    "position",
    "prediction_powered_mean",
    "proportion",
    "quantile",
    "random_raters",
    "ranks",
    "rater_behaviour",
    "same_items",
    "self_consistency",
    "slope",
    "spearman",
    "split",
    "stability",
    "trend",
    "two_samples",
    "wilson",
]

_HOMES = {
    "accuracy": ("JudgeAccuracy", "corrected_prevalence", "judge_accuracy"),
    "agreement": ("Agreement", "agreement"),
    "alt_test": ("AltTest", "alt_test"),
    "behaviour": ("Halo", "RaterBehaviour", "SelfConsistency", "halo", "rater_behaviour", "self_consistency"),
    "bland_altman": ("LimitsOfAgreement", "bland_altman"),
    "bootstrap": ("SEED",),
    "bradley_terry": ("bradley_terry",),
    "calibration": ("calibration",),
    "clusters": ("Clustered",),
    "cohen": ("cohen_kappa",),
    "components": ("Components", "components"),
    "contingency": ("Contingency", "contingency"),
    "corrections": ("benjamini_hochberg", "benjamini_yekutieli", "bonferroni", "holm"),
    "correlation": ("kendall", "pearson", "spearman"),
    "cronbach": ("cronbach_alpha",),
    "dawid_skene": ("DawidSkene", "dawid_skene"),
    "disagreements": ("Disagreement", "disagreements", "lowest_agreement"),
    "effective_judges": ("effective_judges",),
    "equivalence": ("Equivalence", "equivalence"),
    "figure": ("Figure", "Lang", "Why"),
    "fleiss": ("fleiss_kappa",),
    "gain": ("Gain", "paired_gain"),
    "generalizability": ("Generalizability",),
    "groups": ("Group", "describe", "split"),
    "gwet": ("gwet_ac",),
    "human_ai": ("HumanAI", "human_ai"),
    "human_pass_rate": ("human_pass_rate",),
    "human_scale": ("HumanScale", "human_scale_mean"),
    "human_scale_difference": ("human_scale_difference", "human_scale_paired"),
    "icc": ("icc",),
    "interaction": ("Interaction", "interaction"),
    "interpretation": ("Reading", "interpret"),
    "isotonic": ("Isotonic", "isotonic"),
    "item_draws": ("always_valid", "inclusion_of_draws", "items_alone", "next_chances"),
    "judge_effect": ("JudgeEffect", "judge_effect", "paired_effect"),
    "judge_panels": ("JudgePanel", "JudgePanels", "judge_panels"),
    "krippendorff": ("krippendorff_alpha",),
    "many_samples": ("ManySamples", "many_samples"),
    "mcnemar": ("McNemar", "mcnemar"),
    "outcome": ("Outcome",),
    "pair_design": ("next_pairs",),
    "paired": ("Paired", "paired"),
    "percent_agreement": ("percent_agreement",),
    "position": ("Position", "position"),
    "prediction_powered": ("PredictionPowered", "prediction_powered_mean"),
    "proportion": ("proportion", "wilson"),
    "quantile": ("quantile",),
    "random_raters": ("WithOthers", "random_raters"),
    "ranks": ("Ranks", "ranks"),
    "rasch": ("Facet", "ManyFacetRasch", "many_facet_rasch"),
    "ratings": ("LEVELS", "Level", "Matrix", "encode_labels", "matrix"),
    "repeats": ("Stability", "pass_hat_k", "stability"),
    "same_items": ("SameItems", "same_items"),
    "slope": ("slope",),
    "strengths": ("BradleyTerry",),
    "trend": ("Trend", "trend"),
    "two_samples": ("TwoSamples", "two_samples"),
    "votes": ("Votes",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}


class _Statistics(ModuleType):
    """Each is imported when it is first asked for: a command needs few of them, and all take long to import."""

    def __getattr__(self, name: str) -> object:
        if name not in _HOME:
            raise AttributeError(f"module 'haechi.stats' has no attribute {name!r}")
        found: object = getattr(import_module(f"haechi.stats.{_HOME[name]}"), name)
        self.__dict__[name] = found
        return found

    def __setattr__(self, name: str, value: object) -> None:
        # Importing the module `icc` would put it where the function of that name stands.
        if not (name in _HOME and isinstance(value, ModuleType)):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *__all__})


sys.modules[__name__].__class__ = _Statistics
