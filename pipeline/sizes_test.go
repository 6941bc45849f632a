package pipeline

import (
	"maps"
	"slices"
	"testing"
)

// reach is a number of a case to which a size in the code applies.
type reach string

const (
	rowsOfTable   reach = "rows"
	rowsOfGroup   reach = "rows of a row group"
	rowsReleased  reach = "rows of a released row group"
	valuesKept    reach = "values of a kept column"
	valuesMasked  reach = "values of a masked column" // and about as many records that differ
	valuesOfClass reach = "classes"
	bytesOfText   reach = "bytes of a kept text"
)

// size is a constant of the code at which another way is taken, with the number of a case that
// reaches it.
type size struct {
	name  string // the package's path, and the constant's name
	value int
	reach reach // empty: cases are not drawn near the size
}

// minKept returns the least number of kept columns in a case near the size.
func (s *size) minKept() int {
	if s.reach == valuesKept || s.reach == bytesOfText {
		return 1
	}
	return 0
}

// sizes are the sizes near which cases are drawn.
var sizes = []size{
	{"engine/boost.maxBins", 1 << 8, valuesMasked},
	{"engine/judge.blockRecords", 1 << 12, rowsOfTable},
	{"engine/mondrian.fewKeys", 1 << 14, rowsOfTable},
	{"engine/mondrian.fewRecords", 3000, rowsOfTable},
	{"partition.together", 1 << 9, rowsOfTable},
	{"formats.keyBytes", 64, bytesOfText},
	{"formats.nearWords", 1 << 16, valuesKept},
	{"formats.small", 1 << 16, bytesOfText},
	{"formats.usualBytes", 1 << 20, bytesOfText},
	{"formats/csvfile.batchRows", 1 << 16, rowsOfTable},
	{"formats/dataset.blockRows", 1 << 13, rowsOfGroup},
	{"formats/dataset.splitRows", 1 << 16, rowsOfTable},
	{"formats/parquetfile.defaultBatchRows", 1 << 16, rowsOfGroup},
	{"formats/parquetfile.maxTableValues", 1 << 18, valuesKept},
	{"formats/parquetfile.mostStepRows", 1 << 14, rowsOfGroup},
	{"formats/parquetfile.stepRows", 1 << 10, rowsOfGroup},
	{"formats/release.BlockRows", 1 << 10, rowsReleased},
	{"formats/release.stepValues", 1 << 10, rowsReleased},
	{"formats/writer.maxDictionaryBytes", 1 << 20, bytesOfText},
	{"formats/writer.maxDictionaryEntries", 1 << 16, valuesKept},
	{"formats/writer.maxStatistic", 64, bytesOfText},
	{"formats/writer.pageBytes", 1 << 20, bytesOfText},
	{"formats/writer.pageRows", 1 << 15, rowsReleased},
	{"formats/writer.stepBytes", 1 << 21, bytesOfText},
	{"formats/writer.stepRows", 1 << 12, rowsReleased},
	{"partition.block", 1 << 9, valuesMasked},
	{"partition.leastDivided", 1 << 7, valuesMasked},
	{"partition.leastTaken", 1 << 14, valuesMasked},
	{"partition.mergePays", 1 << 16, valuesMasked},
	{"partition.sampleRecords", 1 << 15, valuesMasked},
	{"partition.scanBlock", 1 << 12, valuesMasked},
	{"partition.shardRecords", 1 << 12, valuesMasked},
	{"partition.widenBlock", 1 << 9, valuesMasked},
	{"partition/cells.denseSums", 1 << 9, valuesMasked},
	{"partition/tips.leastBatch", 1 << 12, valuesMasked},
	{"partition/tips.maxRanges", 1 << 8, valuesMasked},
	{"partition/tips.rangeRecords", 1 << 12, valuesMasked},
	{"partition/tips.passRecords", 1 << 10, valuesMasked},
	{"partition/tips.valuesAtOnce", 1 << 16, valuesMasked},
	{"partition/tips.visitRecords", 1 << 18, valuesMasked},
	{"pipeline/count.countRows", 1 << 11, rowsOfTable},
	{"pipeline/count.drawnPairs", 1 << 10, valuesMasked},
	{"pipeline/domain.MaxClasses", 10_000, valuesOfClass},
	{"pipeline/domain.MaxSplitValues", 1 << 16, valuesMasked},
	{"pipeline/domain.numberedValues", 1 << 12, valuesMasked},
	{"pipeline/masking.orderedBlock", 1 << 13, rowsOfGroup},
	{"pipeline/masking.entityRows", 1 << 12, rowsOfTable},
	{"pipeline/risk.countRows", 1 << 10, rowsOfTable},
	{"pipeline/risk.enoughRows", 1 << 18, rowsOfTable},
	{"pipeline/risk.fewHashes", 1 << 14, valuesKept},
	{"pipeline/risk.fewest", 1 << 9, valuesKept},
	{"pipeline/risk.longestValue", 1 << 8, bytesOfText},
	{"pipeline/risk.mostHashes", 1 << 16, valuesKept},
	{"pipeline/risk.mostValues", 1 << 16, valuesKept},
	{"pipeline/risk.sampledRows", 1 << 13, rowsOfTable},
	{"spill.comparedRows", 32, rowsOfTable},
}

// Why cases are not drawn near to sizes.
const (
	limitSize = "what is beyond is refused as damaged, hostile or too large: the package's own " +
		"tests have files of both kinds"
	bytesSize = "bytes of memory, or of files: cases are on both sides, since budgets from 16MiB " +
		"to 1GiB, stores and long texts draw some of each, but at no exact byte"
	largeSize = "takes more rows or labels than cases have: tests of the package, or those in " +
		"cmd/kcut that take long, set or pass it"
	innerSize = "about what a search makes by itself, of which no case decides how much: the " +
		"package's tests compare it with a naive one on both sides"
	shareSize = "a share of the rows, of which cases have more and less: the package's tests " +
		"compare it with a plain count"
	markSize  = "an encoding, not a size"
	otherSize = "of another command than run, or of object stores: tests of that"
)

// unreached are the other sizes, by reason.
var unreached = map[string][]size{
	limitSize: {
		{name: "formats/release.mostPage", value: 768 << 20},
		{name: "pipeline/guard.mostClasses", value: 100},
		{name: "pipeline/risk.mostWeight", value: 1 << 53},
		{name: "pipeline/job.mostNamed", value: 1_000_000_000},
		{name: "pipeline/check.mostUniqueSets", value: 10_000},
		{name: "formats/csvfile.most", value: 38},
		{name: "formats/csvfile.mostForm", value: 64},
		{name: "formats.maxDecimalText", value: 400},
		{name: "formats/arrowfile.mostMetadata", value: 64 << 20},
		{name: "formats/arrowfile.batchEntries", value: 1 << 26},
		{name: "formats/arrowfile.deepest", value: 64},
		{name: "formats/arrowfile.densest", value: 40_000},
		{name: "formats/arrowfile.largest", value: 1 << 30},
		{name: "formats/arrowfile.mostRows", value: 2_147_483_647},
		{name: "formats/csvfile.longest", value: 1 << 26},
		{name: "formats/dataset.maxDirectoryDepth", value: 100},
		{name: "formats.MostRecords", value: 1<<40 - 1},
		{name: "formats.mostBytes", value: 1 << 30},
		{name: "formats/internal/codec.MaxPageBytes", value: 1 << 28},
		{name: "formats/internal/meta.maxDepth", value: 64},
		{name: "formats/internal/page.maxDeltaBlock", value: 1 << 16},
		{name: "formats/internal/page.maxDeltas", value: 1 << 25},
		{name: "formats/internal/schema.maxDepth", value: 100},
		{name: "formats/internal/schema.maxValue", value: 1 << 28},
		{name: "formats/parquetfile.maxBatchEntries", value: 1 << 26},
		{name: "formats/parquetfile.maxFileRows", value: 1 << 48},
		{name: "formats/taxonomy.maxLevels", value: 100},
		{name: "formats/yaml.MaxBytes", value: 1 << 24},
		{name: "formats/yaml.excerptWidth", value: 120},
		{name: "formats/yaml.maxDepth", value: 100},
		{name: "formats/yaml.maxKeys", value: 20_000},
		{name: "formats/yaml.maxProblems", value: 100},
		{name: "formats/yaml.maxTokens", value: 500_000},
		{name: "pipeline/cutfile.anySteps", value: 1 << 48},
		{name: "pipeline/cutfile.maxFile", value: 1 << 28},
		{name: "pipeline/fileset.maxFolder", value: 255},
		{name: "pipeline/masking.mostFolders", value: 1 << 16},
		{name: "pipeline/pseudonym.mostKey", value: 1 << 16},
	},
	bytesSize: {
		{name: "pipeline/risk.ofColumns", value: 1 << 22},
		{name: "pipeline/risk.sampledBytes", value: 1 << 21},
		{name: "pipeline/risk.pairBytes", value: 96},
		{name: "pipeline/risk.valueBytes", value: 96},
		{name: "formats.leastNear", value: 64},
		{name: "engine.FrequencyBytes", value: 32},
		{name: "engine.mostSlots", value: 1 << 18},
		{name: "engine/judge.leastTrial", value: 1 << 26},
		{name: "formats/arrowfile.batchBytes", value: 1 << 24},
		{name: "formats/csvfile.batchBytes", value: 1 << 22},
		{name: "formats/csvfile.bufferSize", value: 1 << 18},
		{name: "spill.UsualPages", value: 24 << 20},
		{name: "formats/internal/page.mostFreeStored", value: 1 << 23},
		{name: "formats/internal/page.large", value: 1 << 20},
		{name: "formats/internal/rle.few", value: 32},
		{name: "formats/parquetfile.differentRow", value: 64},
		{name: "formats/parquetfile.leastRead", value: 1 << 12},
		{name: "formats/parquetfile.maxBatchBytes", value: 1 << 24},
		{name: "formats/parquetfile.maxKeptBytes", value: 1 << 23},
		{name: "formats/parquetfile.usualRoom", value: 1 << 20},
		{name: "formats/release.localBuffers", value: 1 << 23},
		{name: "formats/writer.mostScratch", value: 1 << 22},
		{name: "formats/writer.usualRoom", value: 1 << 19},
		{name: "partition.leastRead", value: 1 << 20},
		{name: "formats/internal/meta.chunkBytes", value: 512},
		{name: "formats/internal/meta.listedBytes", value: 40},
		{name: "partition.leastRun", value: 1 << 12},
		{name: "partition.maxChunk", value: 1 << 17},
		{name: "partition.maxShards", value: 1 << 10},
		{name: "partition.maxSlab", value: 1 << 22},
		{name: "partition.minChunk", value: 64},
		{name: "partition.segmentExtra", value: 48},
		{name: "partition.shareChunks", value: 1 << 8},
		{name: "partition/tips.maxBatch", value: 1 << 23},
		{name: "partition/tips.shareOfBatches", value: 32},
		{name: "pipeline/resources.MinMemory", value: 1 << 24},
		{name: "pipeline/binding.rememberedBytes", value: 64},
		{name: "pipeline/checkpoint.heldBytes", value: 1 << 16},
		{name: "pipeline/count.EntryBytes", value: 36},
		{name: "pipeline/job.minMemory", value: 1 << 20},
		{name: "pipeline/masking.blockBytes", value: 1 << 16},
		{name: "pipeline/masking.blockCells", value: 1 << 21},
		{name: "pipeline/masking.groupBytes", value: 1 << 23},
		{name: "pipeline/masking.sentBlock", value: 1 << 16},
		{name: "pipeline/masking.usualHeld", value: 1 << 24},
		{name: "pipeline/masking.usualPseudonyms", value: 1 << 20},
		{name: "pipeline/verify.hashShares", value: 1 << 10},
		{name: "spill.HeapOverhead", value: 1 << 25},
		{name: "spill.ReaderBytes", value: 1 << 17},
		{name: "spill.blockSize", value: 1 << 16},
		{name: "spill.chunkCost", value: 96},
		{name: "spill.firstRoom", value: 1 << 12},
		{name: "spill.hugeBudget", value: 1 << 30},
		{name: "spill.hugeLeast", value: 1 << 25},
		{name: "spill.hugeMost", value: 1 << 31},
		{name: "spill.largeRow", value: 1 << 18},
		{name: "spill.leastRun", value: 1 << 16},
		{name: "spill.maxShare", value: 1 << 26},
		{name: "spill.minShare", value: 1 << 19},
		{name: "spill.mostPiece", value: 1 << 19},
		{name: "spill.mostRun", value: 1 << 24},
		{name: "spill.mostTable", value: 1 << 22},
		{name: "spill.pageSize", value: 1 << 15},
		{name: "spill.sortedChunk", value: 1 << 16},
	},
	largeSize: {
		{name: "pipeline/risk.paired", value: 32},
		{name: "pipeline/risk.leastRows", value: 1 << 8},
		{name: "engine/recheck.patience", value: 1 << 23},
		{name: "partition/tips.patience", value: 1 << 20},
		{name: "pipeline/search.largeCut", value: 1 << 20},
		{name: "pipeline/count.usualPairs", value: 1 << 18},
		{name: "pipeline/masking.UsualGroup", value: 1 << 18},
		{name: "pipeline/masking.mostGroups", value: 1 << 14},
	},
	innerSize: {
		{name: "engine/boost.Mass", value: 1 << 16},
		{name: "engine/boost.one", value: 1 << 20},
		{name: "engine/choose.MostJudged", value: 1 << 15},
		{name: "engine/judge.bins", value: 32},
		{name: "engine/judge.mostCodes", value: 1 << 18},
		{name: "engine/judge.mostObserved", value: 1 << 14},
		{name: "engine/classify.mostSteps", value: 300},
		{name: "engine/classify.rankMost", value: 32},
		{name: "pipeline/cutfile.leastKept", value: 2},
		{name: "engine/classify.mostBoosted", value: 1 << 17},
		{name: "engine/mondrian.fittedCells", value: 1 << 16},
		{name: "pipeline/algorithm.most", value: 1 << 16},
		{name: "pipeline/forecast.mostFitted", value: 1 << 16},
		{name: "engine/mondrian.mostSteps", value: 64},
		{name: "engine/mondrian.rolledOut", value: 1 << 15},
		{name: "engine/mondrian.tightSizes", value: 32},
		{name: "engine/recheck.cutTuples", value: 1 << 10},
		{name: "engine/recheck.fewRegions", value: 8},
		{name: "engine/recheck.leastCuts", value: 32},
		{name: "engine/topdown.patience", value: 64},
		{name: "partition.dividedBlock", value: 128},
		{name: "partition/tips.few", value: 32},
		{name: "pipeline/count.MaxProfiles", value: 1 << 16},
		{name: "pipeline/count.greatest", value: 1023},
		{name: "pipeline/risk.PairHashes", value: 1 << 16},
		{name: "pipeline/risk.SumBytes", value: 6 << 20},
		{name: "pipeline/risk.UnionHashes", value: 1 << 17},
		{name: "pipeline/risk.fewSlots", value: 1 << 10},
		{name: "pipeline/verify.mostValues", value: 1 << 12},
	},
	shareSize: {
		{name: "pipeline/risk.determinedShare", value: 99},
	},
	markSize: {
		{name: "formats/csvfile.floats", value: 480},
		{name: "formats/csvfile.guessR", value: 1 << 8},
		{name: "pipeline/risk.noneChosen", value: 33},
		{name: "pipeline/domain.minusInf", value: 4_222_124_650_659_839},
		{name: "pipeline/domain.plusInf", value: -4_503_599_627_370_496},
	},
	otherSize: {
		{name: "formats/digest.block", value: 1 << 23},
		{name: "formats/publish.behindBytes", value: 1 << 23},
		{name: "formats/publish.mostLinks", value: 40},
		{name: "formats/storage.blockBytes", value: 1 << 20},
		{name: "formats/storage.gapBytes", value: 1 << 15},
		{name: "formats/storage.longest", value: 300},
		{name: "formats/storage.mostParts", value: 5000},
		{name: "formats/storage.partBytes", value: 5_242_880},
		{name: "formats/storage.smallRead", value: 1 << 16},
		{name: "pipeline.lookedAt", value: 1 << 24},
		{name: "pipeline/planning.mostDescribed", value: 1 << 12},
		{name: "pipeline/planning.mostSampled", value: 1 << 19},
		{name: "pipeline/check.countRows", value: 1 << 10},
		{name: "pipeline/cutfile.mostParts", value: 64},
		{name: "pipeline/draft.common", value: 38},
		{name: "pipeline/draft.female", value: 39},
		{name: "pipeline/draft.paired", value: 40},
		{name: "pipeline/draft.hourless", value: 41},
		{name: "pipeline/draft.fewNulls", value: 100},
		{name: "pipeline/draft.fewestExceeding", value: 200},
		{name: "pipeline/draft.list", value: 37},
		{name: "pipeline/draft.fewestKin", value: 100},
		{name: "pipeline/draft.fewestRows", value: 1000},
		{name: "pipeline/draft.fineKnown", value: 100},
		{name: "pipeline/draft.wideTable", value: 40},
		{name: "pipeline/draft.kilometres", value: 111},
		{name: "pipeline/draft.manyValues", value: 200},
		{name: "pipeline/draft.mistaken", value: 1000},
		{name: "pipeline/draft.initial", value: 34},
		{name: "pipeline/draft.byInitial", value: 35},
		{name: "pipeline/draft.marital", value: 36},
		{name: "pipeline/draft.firstYear", value: 1900},
		{name: "pipeline/draft.leastTelephone", value: 1_000_000},
		{name: "pipeline/draft.lastYear", value: 2035},
		{name: "pipeline/draft.longestOrder", value: 400},
		{name: "pipeline/draft.mostAdded", value: 40},
		{name: "pipeline/draft.mostAlike", value: 1000},
		{name: "pipeline/draft.mostBytes", value: 1 << 27},
		{name: "pipeline/draft.mostClasses", value: 1000},
		{name: "pipeline/draft.mostEntityRows", value: 5_000_000},
		{name: "pipeline/draft.mostCompared", value: 10_000},
		{name: "pipeline/draft.mostExact", value: 1 << 53},
		{name: "pipeline/draft.mostGrams", value: 200_000},
		{name: "pipeline/draft.mostGrouped", value: 500_000},
		{name: "pipeline/draft.mostListed", value: 90},
		{name: "pipeline/draft.mostMatched", value: 200},
		{name: "pipeline/draft.mostOfEach", value: 50},
		{name: "pipeline/draft.mostRead", value: 200},
		{name: "pipeline/draft.mostRows", value: 200_000},
		{name: "pipeline/draft.mostRowsPerEntity", value: 500},
		{name: "pipeline/draft.mostTried", value: 100_000},
		{name: "pipeline/draft.mostTriedCells", value: 5_000_000},
		{name: "pipeline/draft.oldest", value: 120},
		{name: "pipeline/draft.panelBits", value: 40},
		{name: "pipeline/draft.parts", value: 100},
		{name: "pipeline/draft.proper", value: 33},
		{name: "pipeline/draft.namedClasses", value: 50},
		{name: "pipeline/draft.near", value: 50},
		{name: "pipeline/draft.proseLength", value: 60},
		{name: "pipeline/draft.rememberedBytes", value: 1 << 10},
		{name: "pipeline/draft.renamed", value: 100},
		{name: "pipeline/draft.rowsOfFate", value: 100},
		{name: "pipeline/draft.widest", value: 66},
		{name: "pipeline/forecast.byChance", value: 40},
		{name: "engine/judge.mostDrawn", value: 64},
		{name: "pipeline/evaluate.mostShuffled", value: 1 << 16},
		{name: "spill.tries", value: 100},
	},
}

// fewRows is the largest size for which a case needs few rows.
const fewRows = 5000

// sizesDrawn returns the sizes near which cases are drawn: those that need few rows, and those
// that need many.
func sizesDrawn() (small, large []*size) {
	for i := range sizes {
		if s := &sizes[i]; s.value > fewRows {
			large = append(large, s)
		} else {
			small = append(small, s)
		}
	}
	return small, large
}

// Cases are drawn near every size that the code compares with something, or there is a reason
// against it; the lists have the same values as the code.
func TestSizes(t *testing.T) {
	all := readConstants(t, "..")
	listed := make(map[string]bool)
	check := func(s size) {
		if listed[s.name] {
			t.Errorf("%s is listed twice", s.name)
		}
		listed[s.name] = true
		switch value, known := all.values[s.name]; {
		case !known:
			t.Errorf("%s is listed, and no constant of the code", s.name)
		case value != int64(s.value):
			t.Errorf("%s is %d, listed as %d", s.name, value, s.value)
		}
	}
	for _, s := range sizes {
		check(s)
	}
	for _, list := range unreached {
		for _, s := range list {
			check(s)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all.compared)) {
		if !listed[name] {
			t.Errorf("%s = %d decides which way is taken: add it to sizes, with how cases reach "+
				"it, or to unreached", name, all.values[name])
		}
	}
	if len(all.compared) < 150 {
		t.Errorf("%d constants are compared: that is too few to be all", len(all.compared))
	}
}

// The cases of a long run are at, below and above every size.
func TestSizesAreDrawn(t *testing.T) {
	met := make(map[string][3]bool)
	for seed := range truthLong {
		c := &truthCase{seed: uint64(seed)}
		c.drawNumbers()
		if off := c.numbers[c.near.reach] - c.near.value + 1; off >= 0 && off < 3 {
			some := met[c.near.name]
			some[off] = true
			met[c.near.name] = some
		}
	}
	for _, s := range sizes {
		if met[s.name] != [3]bool{true, true, true} {
			t.Errorf("%s: cases are below, at and above it: %v", s.name, met[s.name])
		}
	}
}
