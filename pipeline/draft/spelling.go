package draft

import (
	"slices"
	"strings"
	"sync"
)

// fewestSpelled is the least number of letters of a word for a fact that is known with a mistake,
// and fewestVowels that of its vowels: one letter less of a shorter one is often another word, and
// one with fewer is short for others. fewestDoubled is that of a word with a letter twice.
const fewestSpelled, fewestVowels, fewestDoubled = 7, 3, 6

// misspelled are words for facts without one of their letters, with two in each other's place, or
// with one twice, with the right ones. The first two letters and the last one are right, or another
// form of a word might be meant.
var misspelled = sync.OnceValue(func() map[string]string {
	all, right := make(map[string]string), make(map[string]bool)
	numbers := append(pairs(attended, numbered), numbersOfPlaces.alone...) // practicecd
	for i := range facts {
		for _, word := range slices.Concat(facts[i].alone, facts[i].whole) {
			vowels := strings.FieldsFunc(word, func(r rune) bool {
				return !strings.ContainsRune("aeiouy", r)
			})
			right[word] = len(word) >= fewestSpelled && len(strings.Join(vowels, "")) >=
				fewestVowels && !slices.Contains(numbers, word)
		}
	}
	for word, isWord := range right {
		for at := 2; at < len(word); at++ {
			var mistakes []string
			if len(word) >= fewestDoubled {
				mistakes = append(mistakes, word[:at]+word[at-1:])
			}
			if isWord && at < len(word)-1 {
				mistakes = append(mistakes, word[:at]+word[at+1:],
					word[:at]+word[at+1:at+2]+word[at:at+1]+word[at+2:])
			}
			for _, wrong := range mistakes {
				// of two words, the first one in the alphabet
				of := all[wrong]
				if _, known := right[wrong]; !known && (of == "" || word < of) {
					all[wrong] = word
				}
			}
		}
	}
	return all
})

// spelled returns the words of a name without mistakes in those for facts, as ethnicty.
func spelled(name []string) []string {
	known := misspelled()
	for i, word := range name {
		if right := known[word]; right != "" {
			name[i] = right
		}
	}
	return name
}
