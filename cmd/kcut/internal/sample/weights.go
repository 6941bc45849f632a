package sample

// people is the model of the sample's population: what depends on what, and how often what
// occurs. The weights follow the Adult census extract roughly, with round numbers.
//
//	sex, age ──▶ education ──▶ workclass, occupation ──▶ hours ──┐
//	     └─────▶ marital status ──▶ relationship                 ├──▶ income
//	race ──▶ native country        zip      capital gain, loss ──┘
type people struct {
	seed uint64

	age, race, gain, loss      alias
	education                  []alias    // by age band
	marital                    [2][]alias // by sex and age band
	workclass                  []alias    // by schooling
	occupation                 [2][]alias // by sex and schooling
	country                    []alias    // by race
	relationship               []alias    // by family kind
	hours                      []alias    // by hour kind
	zip                        zipModel
	incomeAbove                [incomePoints]uint32 // probability, times 2^16, of the higher income
	oldestBirth, youngestBirth int64
}

const (
	youngest, oldest = 17, 90
	// censusDay is the day of which ages are told: 2024-12-31, in days since 1970-01-01.
	censusDay = 20088
)

func newPeople(seed uint64) *people {
	p := &people{
		seed:          seed,
		age:           newAlias(ageWeights()),
		race:          newAlias([]uint64{855, 95, 31, 10, 9}),
		gain:          newAlias(amountWeights(len(capitalGains))),
		loss:          newAlias(amountWeights(len(capitalLosses))),
		education:     aliases(educationWeights),
		workclass:     aliases(workclassWeights),
		relationship:  aliases(relationshipWeights),
		zip:           newZipModel(),
		incomeAbove:   incomeOdds(),
		oldestBirth:   birthday(oldest, 364),
		youngestBirth: birthday(youngest, 0),
	}
	for sex := range sexes {
		p.marital[sex], p.occupation[sex] = aliases(maritalWeights[sex]), aliases(occupationWeights[sex])
	}
	for _, peaks := range hourPeaks {
		p.hours = append(p.hours, newAlias(hourWeights(peaks)))
	}
	for race := range races {
		p.country = append(p.country, newAlias(countryWeights(race)))
	}
	return p
}

// educationWeights are the weights of educations by age band: up to 19, 24, 34, 54, 64, and over.
var educationWeights = [][]uint64{
	{0, 1, 3, 8, 25, 90, 210, 70, 230, 340, 8, 6, 4, 0, 0, 0},
	{1, 4, 8, 12, 18, 30, 42, 20, 340, 420, 45, 38, 120, 4, 1, 0},
	{1, 5, 11, 12, 15, 22, 34, 14, 330, 225, 48, 36, 200, 45, 12, 6},
	{2, 5, 10, 16, 14, 24, 28, 11, 320, 200, 50, 38, 180, 78, 23, 16},
	{3, 8, 14, 45, 24, 45, 36, 12, 340, 175, 36, 22, 135, 68, 22, 20},
	{5, 16, 20, 95, 32, 50, 34, 10, 330, 165, 20, 12, 110, 52, 28, 26},
}

// maritalWeights are the weights of marital statuses by sex and age band.
var maritalWeights = [2][][]uint64{
	{
		{20, 950, 6, 8, 1, 8, 2},
		{140, 760, 45, 35, 3, 14, 3},
		{300, 440, 165, 58, 8, 18, 2},
		{340, 210, 310, 68, 42, 18, 0},
		{300, 90, 310, 45, 225, 16, 0},
		{200, 80, 190, 25, 480, 12, 0},
	},
	{
		{12, 975, 3, 3, 0, 7, 0},
		{170, 780, 25, 12, 0, 12, 1},
		{480, 390, 95, 20, 1, 13, 1},
		{715, 115, 135, 18, 5, 12, 0},
		{790, 60, 105, 14, 20, 11, 0},
		{770, 50, 75, 10, 85, 10, 0},
	},
}

// relationshipWeights are the weights of relationships of married women, married men, young
// singles, other singles, and all others.
var relationshipWeights = [][]uint64{
	{0, 96, 2, 0, 2, 0},
	{96, 0, 2, 0, 2, 0},
	{0, 0, 62, 26, 7, 5},
	{0, 0, 20, 60, 11, 9},
	{0, 0, 5, 48, 5, 42},
}

// workclassWeights are the weights of workclasses by schooling: without a degree, school or some
// college, bachelor, higher.
var workclassWeights = [][]uint64{
	{820, 85, 18, 8, 14, 40, 1},
	{760, 80, 34, 30, 36, 58, 1},
	{690, 78, 55, 42, 50, 85, 0},
	{480, 105, 85, 50, 90, 190, 0},
}

// occupationWeights are the weights of occupations by sex and schooling.
var occupationWeights = [2][][]uint64{
	{
		{95, 18, 45, 12, 60, 180, 380, 60, 20, 6, 110, 4, 12, 0},
		{330, 16, 120, 6, 20, 70, 190, 12, 75, 10, 120, 30, 8, 0},
		{190, 8, 215, 5, 5, 15, 45, 4, 370, 10, 95, 32, 4, 0},
		{70, 3, 210, 2, 2, 5, 15, 2, 640, 5, 25, 20, 2, 0},
	},
	{
		{30, 270, 45, 80, 130, 140, 115, 1, 15, 15, 55, 4, 120, 0},
		{65, 245, 130, 42, 62, 88, 60, 0, 55, 42, 115, 35, 85, 1},
		{62, 55, 290, 25, 12, 15, 22, 0, 270, 35, 165, 38, 14, 1},
		{22, 15, 240, 12, 4, 6, 8, 0, 590, 15, 60, 22, 5, 0},
	},
}

// hourPeaks are the weights of the usual weekly hours of the young or old, women, men, and the
// self-employed; all others occur too.
var hourPeaks = []map[int]uint64{
	{10: 40, 12: 30, 15: 80, 20: 220, 25: 110, 30: 110, 35: 60, 40: 230},
	{20: 70, 25: 40, 30: 70, 32: 25, 35: 80, 36: 20, 38: 30, 40: 520, 45: 55, 50: 55, 60: 12},
	{30: 25, 35: 25, 40: 500, 44: 12, 45: 85, 48: 25, 50: 125, 55: 38, 60: 75, 65: 10, 70: 12},
	{20: 40, 30: 40, 35: 35, 40: 260, 45: 65, 50: 145, 55: 40, 60: 150, 65: 20, 70: 40, 80: 25},
}

// countryWeights returns the weights of native countries for a race.
func countryWeights(race int) []uint64 {
	home := []uint64{9300, 9200, 3000, 9800, 4500}[race]
	usual := [][]uint64{
		{0, 30, 30, 240, 12, 25, 4, 8, 30, 12, 0, 0, 14, 8, 9, 22, 32, 8, 8, 18, 12, 9, 16, 5, 0, 0, 0, 0, 2, 0, 0, 0, 4, 10},
		{0, 4, 10, 6, 2, 2, 6, 4, 6, 40, 60, 95, 4, 2, 2, 18, 6, 3, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 4, 0},
		{0, 4, 0, 4, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 6, 4, 2, 0, 0, 0, 0, 0, 0, 100, 70, 65, 50, 250, 60, 18, 22, 110, 25},
		{0, 15, 0, 20, 4, 2, 1, 1, 0, 0, 0, 0, 2, 2, 4, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 6, 0, 0, 0, 4, 0},
		{0, 2, 60, 120, 14, 16, 6, 6, 4, 50, 2, 12, 16, 14, 10, 2, 4, 0, 0, 0, 2, 0, 0, 0, 0, 2, 2, 0, 6, 0, 0, 0, 30, 20},
	}[race]
	weights := append([]uint64(nil), usual...)
	var away uint64
	for _, w := range usual {
		away += w
	}
	weights[0] = away * home / (10000 - home)
	return weights
}

// ageWeights interpolates between a few points of the census's pyramid.
func ageWeights() []uint64 {
	points := [][2]int{
		{17, 600}, {19, 1050}, {23, 1300}, {36, 1350}, {47, 1050}, {55, 650}, {62, 400}, {70, 150}, {80, 40}, {89, 8}, {90, 55},
	}
	var weights []uint64
	for i := range len(points) - 1 {
		from, to := points[i], points[i+1]
		for age := from[0]; age < to[0]; age++ {
			weights = append(weights, uint64(from[1]+(to[1]-from[1])*(age-from[0])/(to[0]-from[0])))
		}
	}
	return append(weights, uint64(points[len(points)-1][1]))
}

// hourWeights returns the weights of 1 to 99 hours.
func hourWeights(peaks map[int]uint64) []uint64 {
	weights := make([]uint64, 99)
	for i := range weights {
		weights[i] = 1 + peaks[i+1]
	}
	return weights
}

// amountWeights returns weights for the amounts but the first, with some in the middle more frequent.
func amountWeights(n int) []uint64 {
	weights := make([]uint64, n)
	for i := 1; i < n; i++ {
		weights[i] = uint64(3 + i*7%11)
	}
	return weights
}
