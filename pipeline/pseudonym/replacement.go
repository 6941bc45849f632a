package pseudonym

import (
	"encoding/binary"
	"fmt"
	"strings"
	"sync"
)

// form is the form of replacements: the lists from which each takes a word, in order. Lists of one
// word need no choice; at most four have more, since an HMAC has four numbers.
//
// The lists are part of the pseudonyms: a change of one changes the replacements of earlier runs.
type form [][]string

// forms returns the forms of replacements by their name in a job.
var forms = sync.OnceValue(func() map[string]form {
	given, family := strings.Fields(givenNames), strings.Fields(familyNames)
	return map[string]form{
		"name": {given, {" "}, family},
		"street": {numbers("%d", 1, 400), {" "}, strings.Fields(streetNames), {" "},
			strings.Fields(streetKinds)},
		"city": {strings.Fields(cityStems), strings.Fields(cityEndings)},
		// 555-0100 to 555-0199 are for fiction, whatever the area.
		"phone": {numbers("%d", 201, 989), {"-555-01"}, numbers("%02d", 0, 99)},
		// These domains are for examples: nobody gets mail there.
		"email": {strings.Fields(strings.ToLower(givenNames)), {"."},
			strings.Fields(strings.ToLower(familyNames)), numbers("%d", 1, 999), {"@example."},
			{"com", "net", "org"}},
	}
})

func numbers(format string, from, to int) (list []string) {
	for i := from; i <= to; i++ {
		list = append(list, fmt.Sprintf(format, i))
	}
	return list
}

// append appends the replacement that an HMAC chooses.
func (f form) append(text, mac []byte) []byte {
	for _, list := range f {
		if len(list) == 1 {
			text = append(text, list[0]...)
			continue
		}
		text = append(text, list[binary.BigEndian.Uint64(mac)%uint64(len(list))]...)
		mac = mac[8:]
	}
	return text
}

// makes reports whether some HMAC chooses a text.
func (f form) makes(text string) bool {
	if len(f) == 0 {
		return text == ""
	}
	for _, word := range f[0] {
		if rest, begins := strings.CutPrefix(text, word); begins && f[1:].makes(rest) {
			return true
		}
	}
	return false
}

const givenNames = `
	Ada Adam Agnes Alan Alex Alice Amy Andrea Andrew Angela Anna Anton Arthur Barbara Beatrice Ben
	Bernard Bianca Brian Bruno Carl Carla Carmen Caroline Cecilia Charles Clara Conrad Cora Daniel
	David Diana Dora Edgar Edith Edward Elena Eli Elise Ella Emil Emily Emma Eric Erica Ernest Eva
	Felix Flora Frances Frank Fred George Gerald Gloria Grace Greta Hannah Harold Helen Henry Hugo
	Ida Ingrid Irene Isaac Isabel Ivan Ivy Jack Jacob James Jane Jasper Joan Joel John Joseph Julia
	Julian Karen Laura Lena Leo Leonard Lily Linda Louis Louise Lucas Lucy Mabel Marcus Maria Marie
	Mark Martha Martin Max Michael Miriam Molly Nadia Nathan Nina Nora Norman Olga Oliver Oscar Paul
	Paula Peter Philip Ralph Rita Robert Rosa Ruth Samuel Sara Simon Sophie Stella Sylvia Thomas
	Vera Victor Walter Wanda`

const familyNames = `
	Abbott Adams Adler Allen Anders Archer Arnold Ashby Atkins Austin Avery Bailey Baker Baldwin
	Barber Barker Barnes Barrett Barton Bauer Becker Bell Bennett Benson Berger Bishop Black Blake
	Bond Booth Bowen Bradley Brandt Brennan Brewer Brooks Brown Bryant Burke Burns Burton Butler
	Byrne Cameron Campbell Carey Carlson Carr Carroll Carson Carter Chambers Chapman Clark Clarke
	Clayton Cole Coleman Collins Connor Conway Cook Cooper Cox Craig Crane Crawford Cross Curtis
	Dalton Daly Davies Davis Dawson Day Dean Dixon Doyle Drake Duncan Dunn Eaton Edwards Elliott
	Ellis Engel Evans Farmer Farrell Faulkner Fenton Ferguson Finch Fischer Fisher Fleming Fletcher
	Flynn Ford Forster Foster Fowler Fox Francis Franklin Fraser Freeman Fuller Gardner Garner
	Garrett Gibson Gilbert Gordon Graham Grant Gray Green Griffin Grove Haas Hale Hall Hamilton
	Hammond Hansen Harding Harper Harris Hart Harvey Hayes Henson Herman Hicks Hill Hobbs Hoffman
	Holland Holmes Hooper Hopkins Howard Hudson Hughes Hunt Hunter Ingram Irwin Jackson Jansen
	Jenkins Jennings Jensen Johnson Jones Jordan Keller Kelly Kemp Kennedy Kent King Klein Knight
	Kramer Lambert Lane Larsen Lawson Lewis Lindsey Lloyd Logan Lowe Lynch Marsh Marshall Mason
	Matthews Maxwell Meyer Miles Miller Mills Mitchell Moore Morgan Morris Morton Murphy Murray Nash
	Nelson Newman Newton Nichols Nolan Norris Norton Olsen Osborne Owens Page Palmer Parker Parsons
	Payne Pearson Perkins Perry Peters Phillips Pierce Poole Porter Potter Powell Price Quinn Ramsey
	Reed Reeves Reid Reynolds Richards Riley Roberts Rogers Rose Ross Rowe Russell Ryan Sanders
	Sawyer Schmidt Schultz Scott Sharp Shaw Shepherd Simmons Smith Spencer Stevens Stewart Stone
	Sullivan Sutton Swanson Taylor Thompson Thornton Tucker Turner Vaughn Wagner Walker Wallace
	Walsh Walters Ward Warner Warren Watkins Watson Weaver Webb Weber Webster Wells West Wheeler
	White Willis Wilson Winter Wolf Wood Woods Wright Yates York Young`

const streetNames = `
	Abbey Acorn Alder Apple Aspen Bank Barn Bay Beacon Beech Birch Bridge Brook Canal Castle Cedar
	Chapel Cherry Chestnut Church Clover College Copper Court Cypress East Elm Farm Fern Ferry Field
	Fir Forest Garden Garrison Glen Grange Granite Grove Harbor Hawthorn Hazel Heather High Hill
	Holly Iron Ivy Juniper King Lake Larch Laurel Lemon Library Lilac Lime Linden Main Maple Market
	Meadow Mill Mint Museum North Oak Olive Orchard Park Pear Pine Plum Pond Poplar Prospect Quarry
	Queen Railway River Rose Rowan School Silver South Spring Spruce Station Stone Summit Sycamore
	Temple Tower Valley View Village Vine Walnut Water West Willow Windmill`

const streetKinds = `Avenue Close Court Drive Lane Place Road Street Terrace Walk Way`

const cityStems = `
	Alder Amber Apple Arden Ash Aspen Barn Beacon Bear Beech Bell Birch Black Blue Bright Broad
	Brook Brown Burn Cedar Chester Clay Clear Cliff Clover Cold Corn Crane Crow Dale Deep Deer Dove
	Eagle East Edge Elder Elm Ever Fair Falcon Fern Fisher Flint Fox Frost Glen Gold Grand Green
	Grey Grove Hale Hart Haver Haw Hazel Heather Heron High Hill Holly Honey Hunter Iron Ivy Kings
	Lake Lang Lark Laurel Light Lime Linden Long Lower Maple Marsh Mead Mill Moor Moss New North Oak
	Old Olive Orchard Otter Pine Plum Pond Queens Rain Raven Red Reed River Rock Rose Rowan Salt
	Sand Shell Silver Snow South Spring Stan Star Stone Storm Sun Swan Thorn Upper Wal Water West
	White Wild Willow Wind Winter Wolf Wood`

const cityEndings = `
	borough bourne bridge brook burg bury by cliff combe cote cross dale den ditch don fall field
	ford gate grove ham haven hill hurst land leigh ley mere minster mont moor mouth pool port ridge
	shaw side stead stoke ton vale view ville water well wick wood worth`
