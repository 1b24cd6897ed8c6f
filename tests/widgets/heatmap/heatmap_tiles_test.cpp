// The tile queue: order, budget, replacing and cancelling, with the real worker.
#include "widgets/heatmap/heatmap_tiles.h"

#include <QSignalSpy>
#include <mutex>

#include "tests/support/qt_test.h"
#include "tests/widgets/heatmap/test_map.h"

namespace {

using widgets::HeatmapTiles;
using widgets::JobRunner;
using widgets::TileKey;

constexpr std::size_t kTileBytes = 256 * 256 * sizeof(float);

TileKey at(TileKey key, std::int64_t row, std::int64_t column) {
  key.row = row;
  key.column = column;
  return key;
}

/// A map that throws where its value is asked for.
class BrokenMap final : public core::MapSource {
 public:
  std::string identity() const override { return "broken"; }
  core::MapMask mask() const override { return core::AttentionMask(10); }
  core::MapRect extent(core::Stage) const override { return {{0, 10}, {0, 10}}; }
  core::MapValues rectangle(core::Stage, const core::MapRect&, const core::Progress&) const override {
    throw core::Error(core::ErrorKind::OutOfMemory, "There is not enough memory for this map.");
  }
  core::MapValues overview(core::Stage stage, const core::MapRect& rect, std::int64_t, core::Reduction,
                           const core::Progress&) const override {
    return rectangle(stage, rect, {});
  }
  core::ValueRange range(core::Stage, const core::Progress&) const override { return {0, 1}; }
  core::BrokenRows brokenRows() const override { return {}; }
};

}  // namespace

class HeatmapTilesTest : public support::QtTest {
  Q_OBJECT
 private Q_SLOTS:

  void tilesComeInTheOrderWanted() {
    JobRunner jobs;
    HeatmapTiles tiles(jobs, "tiles", 64 * kTileBytes);
    tiles.setSource(std::make_shared<support::TestMap>(1024));
    const TileKey base = tiles.baseKey(core::Stage::Weights, core::Reduction::Max);
    const std::vector<TileKey> wanted{at(base, 3, 1), at(base, 0, 0), at(base, 2, 2)};
    std::vector<std::size_t> counts;
    connect(&tiles, &HeatmapTiles::tileReady, this, [&] {
      std::size_t there = 0;
      while (there < wanted.size() && tiles.find(wanted[there])) ++there;
      counts.push_back(there);
    });
    tiles.want(wanted);
    QTRY_VERIFY(tiles.isIdle());
    QCOMPARE(counts, (std::vector<std::size_t>{1, 2, 3}));
  }

  void aTileHoldsItsOwnCells() {
    JobRunner jobs;
    HeatmapTiles tiles(jobs, "tiles", 64 * kTileBytes);
    const auto map = std::make_shared<support::TestMap>(600);
    tiles.setSource(map);
    const TileKey key = at(tiles.baseKey(core::Stage::Weights, core::Reduction::Max), 2, 1);
    tiles.want({key});
    QTRY_VERIFY(tiles.isIdle());
    const widgets::Tile tile = tiles.find(key);
    QVERIFY(tile);
    QCOMPARE(tile->rows, 600 - 512);
    QCOMPARE(tile->columns, 256);
    QCOMPARE(tile->at(5, 7), map->weight(517, 263));
  }

  void coarseTilesHoldBlocksOfTheWholeMap() {
    JobRunner jobs;
    HeatmapTiles tiles(jobs, "tiles", 64 * kTileBytes);
    const auto map = std::make_shared<support::TestMap>(1000);
    tiles.setSource(map);
    TileKey key = tiles.baseKey(core::Stage::Weights, core::Reduction::Max);
    key.level = 2;
    tiles.want({key});
    QTRY_VERIFY(tiles.isIdle());
    const widgets::Tile tile = tiles.find(key);
    QVERIFY(tile);
    QCOMPARE(tile->rows, 250);
    float largest = 0;
    for (int row = 400; row < 404; ++row)
      for (int column = 80; column < 84; ++column) largest = std::max(largest, map->weight(row, column));
    QCOMPARE(tile->at(100, 20), largest);
  }

  void rowRangesAreThoseOfVisibleKeys() {
    JobRunner jobs;
    HeatmapTiles tiles(jobs, "tiles", 64 * kTileBytes);
    const auto map = std::make_shared<support::TestMap>(300);
    tiles.setSource(map);
    TileKey key = at(tiles.baseKey(core::Stage::MaskedScores, core::Reduction::Max), 1, 0);
    key.kind = TileKey::Kind::RowRanges;
    tiles.want({key});
    QTRY_VERIFY(tiles.isIdle());
    const widgets::Tile tile = tiles.find(key);
    QVERIFY(tile);
    QCOMPARE(tile->rows, 44);
    float low = 100, high = -100;
    for (int column = 0; column <= 270; ++column) {
      low = std::min(low, 8 * map->weight(270, column) - 3);
      high = std::max(high, 8 * map->weight(270, column) - 3);
    }
    QCOMPARE(tile->at(14, 0), low);
    QCOMPARE(tile->at(14, 1), high);
  }

  void whatIsThereIsNotComputedAgain() {
    JobRunner jobs;
    HeatmapTiles tiles(jobs, "tiles", 64 * kTileBytes);
    const auto map = std::make_shared<support::TestMap>(1024);
    tiles.setSource(map);
    const TileKey base = tiles.baseKey(core::Stage::Weights, core::Reduction::Max);
    tiles.want({base});
    QTRY_VERIFY(tiles.isIdle());
    QCOMPARE(map->calls(), 1);
    tiles.want({base, at(base, 1, 0)});
    QTRY_VERIFY(tiles.isIdle());
    QCOMPARE(map->calls(), 2);
  }

  void anotherHeadKeepsTheTilesAndAnotherCaptureDoesNot() {
    JobRunner jobs;
    HeatmapTiles tiles(jobs, "tiles", 64 * kTileBytes);
    const int run = 0;
    const auto first = std::make_shared<support::TestMap>(100, core::HeadId{core::Layer(0), core::Head(0)}, &run);
    const auto second = std::make_shared<support::TestMap>(100, core::HeadId{core::Layer(0), core::Head(1)}, &run);
    tiles.setSource(first);
    const TileKey key = tiles.baseKey(core::Stage::Weights, core::Reduction::Max);
    tiles.want({key});
    QTRY_VERIFY(tiles.isIdle());
    tiles.setSource(second);
    QVERIFY(!tiles.find(tiles.baseKey(core::Stage::Weights, core::Reduction::Max)));
    tiles.setSource(first);
    QVERIFY(tiles.find(tiles.baseKey(core::Stage::Weights, core::Reduction::Max)));
    tiles.setSource(std::make_shared<support::TestMap>(100));
    QVERIFY(!tiles.find(tiles.baseKey(core::Stage::Weights, core::Reduction::Max)));
  }

  void whatIsNoLongerWantedIsNotComputed() {
    JobRunner jobs;
    HeatmapTiles tiles(jobs, "tiles", 64 * kTileBytes);
    const auto map = std::make_shared<support::TestMap>(4096);
    tiles.setSource(map);
    const TileKey base = tiles.baseKey(core::Stage::Weights, core::Reduction::Max);
    std::vector<TileKey> many;
    for (int row = 0; row < 16; ++row) many.push_back(at(base, row, 0));
    // No event loop in between: of the first two lists nothing may be left but a tile already running.
    for (int i = 0; i < 2; ++i) tiles.want(many);
    tiles.want({at(base, 15, 15)});
    QTRY_VERIFY(tiles.isIdle());
    QVERIFY(tiles.find(at(base, 15, 15)));
    QVERIFY(!tiles.find(at(base, 5, 0)));
    QVERIFY2(map->calls() <= 2, qPrintable(QString::number(map->calls())));
  }

  void noMoreIsComputedThanTheBudgetHolds() {
    JobRunner jobs;
    HeatmapTiles tiles(jobs, "tiles", 3 * kTileBytes);
    const auto map = std::make_shared<support::TestMap>(2048);
    tiles.setSource(map);
    const TileKey base = tiles.baseKey(core::Stage::Weights, core::Reduction::Max);
    std::vector<TileKey> many;
    for (int row = 0; row < 8; ++row) many.push_back(at(base, row, 0));
    tiles.want(many);
    QTRY_VERIFY(tiles.isIdle());
    QCOMPARE(map->calls(), 3);
    QVERIFY(tiles.bytes() <= 3 * kTileBytes);
    tiles.want(many);
    QVERIFY(tiles.isIdle());  // and asking again starts nothing
  }

  void aFailureIsSaidOnceAndEndsTheQueue() {
    JobRunner jobs;
    HeatmapTiles tiles(jobs, "tiles", 8 * kTileBytes);
    tiles.setSource(std::make_shared<BrokenMap>());
    QSignalSpy failed(&tiles, &HeatmapTiles::failed);
    TileKey other = tiles.baseKey(core::Stage::Scores, core::Reduction::Max);
    tiles.want({tiles.baseKey(core::Stage::Weights, core::Reduction::Max), other});
    QTRY_VERIFY(tiles.isIdle());
    QCOMPARE(failed.count(), 1);
    QCOMPARE(failed.first().first().toString(), QString("There is not enough memory for this map."));
  }

  void theWorkerMayEndBeforeOrAfterTheTiles() {
    auto jobs = std::make_unique<JobRunner>();
    auto tiles = std::make_unique<HeatmapTiles>(*jobs, "tiles", 8 * kTileBytes);
    tiles->setSource(std::make_shared<support::TestMap>(2048));
    tiles->want({tiles->baseKey(core::Stage::Weights, core::Reduction::Max)});
    tiles.reset();
    QTRY_VERIFY(!jobs->isBusy("tiles"));

    tiles = std::make_unique<HeatmapTiles>(*jobs, "tiles", 8 * kTileBytes);
    tiles->setSource(std::make_shared<support::TestMap>(2048));
    tiles->want({tiles->baseKey(core::Stage::Weights, core::Reduction::Max)});
    jobs.reset();
    tiles->want({});
    tiles.reset();
  }
};

HEADSCOPE_QTEST_MAIN(HeatmapTilesTest)
#include "heatmap_tiles_test.moc"
