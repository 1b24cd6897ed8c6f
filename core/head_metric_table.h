// Every number of a head, with its name and formula: sorting, filters, tips and panels all go by this list.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "core/head_metrics.h"

namespace core {

enum class MetricUnit { Nats, Keys, Tokens, Share };

struct HeadMetric {
  std::string_view name;       ///< "previous token"
  std::string_view shortName;  ///< one word: "previous"
  std::string_view help;       ///< a sentence with the formula; p[i,j] is the weight of query i on key j
  MetricUnit unit;
  /// None where the head has no such number.
  std::optional<double> (*of)(const HeadMetrics& metrics);
};

inline constexpr std::array kHeadMetrics{
    HeadMetric{"entropy", "entropy", "How spread out a row is: −Σ p ln p, mean over the queries.", MetricUnit::Nats,
               [](const HeadMetrics& m) { return std::optional(m.entropy); }},
    HeadMetric{"normalised entropy", "normalised",
               "The entropy of a row by that of looking at all its n visible keys alike: −Σ p ln p / ln n, mean over "
               "the queries that see at least two keys.",
               MetricUnit::Share, [](const HeadMetrics& m) { return m.normalisedEntropy; }},
    HeadMetric{"effective keys", "keys",
               "How many keys, looked at alike, have the entropy of a row: exp(−Σ p ln p), mean over the queries.",
               MetricUnit::Keys, [](const HeadMetrics& m) { return std::optional(m.effectiveKeys); }},
    HeadMetric{"confidence", "confidence", "The largest weight of a row: max p, mean over the queries.",
               MetricUnit::Share, [](const HeadMetrics& m) { return std::optional(m.confidence); }},
    HeadMetric{"distance", "distance",
               "How far a query is from what it looks at: Σ p[i,j] |i − j|, mean over the queries.", MetricUnit::Tokens,
               [](const HeadMetrics& m) { return std::optional(m.meanDistance); }},
    HeadMetric{"self", "self", "The weight of a query on its own token: p[i,i], mean over the queries.",
               MetricUnit::Share, [](const HeadMetrics& m) { return std::optional(m.self); }},
    HeadMetric{"previous token", "previous",
               "The weight on the token just before the query: p[i,i−1], mean over the queries but the first.",
               MetricUnit::Share, [](const HeadMetrics& m) { return m.previousToken; }},
    HeadMetric{"first key", "first",
               "The weight on the first token of the prompt, its sink score: p[i,0], mean over the queries.",
               MetricUnit::Share, [](const HeadMetrics& m) { return std::optional(m.firstKey); }},
    HeadMetric{
        "window edge", "edge",
        "The weight on the farthest tenth of the keys in the window: Σ p over them, mean over the queries that see a "
        "whole window. Much there says that the window hurts.",
        MetricUnit::Share, [](const HeadMetrics& m) { return m.windowEdge; }}};

}  // namespace core
