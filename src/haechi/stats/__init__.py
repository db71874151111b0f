"""Statistics of rating and comparison: arrays in, figures with intervals and reasons out.

Every function takes arrays or data frames and returns frozen results with `as_json(lang)`. A figure that is
not defined has no value and says why, in Korean and English; it is never NaN and never 0.

>>> import haechi.stats as stats
>>> round(stats.icc([[4, 5], [2, 3], [5, 5], [1, 2]])["ICC(2,1)"].value, 4)
0.8767
>>> stats.fleiss_kappa([[3], [4]]).why.en
'at least two raters are needed'
"""

from haechi.stats.accuracy import JudgeAccuracy, corrected_prevalence, judge_accuracy
from haechi.stats.agreement import Agreement, agreement
from haechi.stats.alt_test import AltTest, alt_test
from haechi.stats.behaviour import (
    Disagreement,
    Halo,
    RaterBehaviour,
    SelfConsistency,
    disagreements,
    halo,
    lowest_agreement,
    rater_behaviour,
    self_consistency,
)
from haechi.stats.bland_altman import LimitsOfAgreement, bland_altman
from haechi.stats.bootstrap import SEED
from haechi.stats.clusters import Clustered
from haechi.stats.cohen import cohen_kappa
from haechi.stats.components import Components, components
from haechi.stats.contingency import Contingency, contingency
from haechi.stats.corrections import benjamini_hochberg, benjamini_yekutieli, bonferroni, holm
from haechi.stats.correlation import kendall, pearson, spearman
from haechi.stats.cronbach import cronbach_alpha
from haechi.stats.dawid_skene import DawidSkene, dawid_skene
from haechi.stats.effective_judges import effective_judges
from haechi.stats.equivalence import Equivalence, equivalence
from haechi.stats.figure import Figure, Lang, Why
from haechi.stats.fleiss import fleiss_kappa
from haechi.stats.generalizability import Generalizability
from haechi.stats.groups import Group, describe, split
from haechi.stats.gwet import gwet_ac
from haechi.stats.human_ai import HumanAI, human_ai
from haechi.stats.icc import icc
from haechi.stats.interaction import Interaction, interaction
from haechi.stats.interpretation import Reading, interpret
from haechi.stats.judge_panels import JudgePanel, JudgePanels, judge_panels
from haechi.stats.krippendorff import krippendorff_alpha
from haechi.stats.many_samples import ManySamples, many_samples
from haechi.stats.mcnemar import McNemar, mcnemar
from haechi.stats.outcome import Outcome
from haechi.stats.paired import Paired, paired
from haechi.stats.percent_agreement import percent_agreement
from haechi.stats.prediction_powered import PredictionPowered, prediction_powered_mean
from haechi.stats.proportion import proportion, wilson
from haechi.stats.quantile import quantile
from haechi.stats.random_raters import WithOthers, random_raters
from haechi.stats.rasch import Facet, ManyFacetRasch, many_facet_rasch
from haechi.stats.ratings import LEVELS, Level, Matrix, encode_labels, matrix
from haechi.stats.repeats import Stability, pass_hat_k, stability
from haechi.stats.same_items import SameItems, same_items
from haechi.stats.trend import Trend, trend
from haechi.stats.two_samples import TwoSamples, two_samples

__all__ = [
    "LEVELS",
    "SEED",
    "Agreement",
    "AltTest",
    "Clustered",
    "Components",
    "Contingency",
    "DawidSkene",
    "Disagreement",
    "Equivalence",
    "Facet",
    "Figure",
    "Generalizability",
    "Group",
    "Halo",
    "HumanAI",
    "Interaction",
    "JudgeAccuracy",
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
    "PredictionPowered",
    "RaterBehaviour",
    "Reading",
    "SameItems",
    "SelfConsistency",
    "Stability",
    "Trend",
    "TwoSamples",
    "Why",
    "WithOthers",
    "agreement",
    "alt_test",
    "benjamini_hochberg",
    "benjamini_yekutieli",
    "bland_altman",
    "bonferroni",
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
    "icc",
    "interaction",
    "interpret",
    "judge_accuracy",
    "judge_panels",
    "kendall",
    "krippendorff_alpha",
    "lowest_agreement",
    "many_facet_rasch",
    "many_samples",
    "matrix",
    "mcnemar",
    "paired",
    "pass_hat_k",
    "pearson",
    "percent_agreement",
    "prediction_powered_mean",
    "proportion",
    "quantile",
    "random_raters",
    "rater_behaviour",
    "same_items",
    "self_consistency",
    "spearman",
    "split",
    "stability",
    "trend",
    "two_samples",
    "wilson",
]
