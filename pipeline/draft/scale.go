package draft

import (
	"slices"
	"strings"
)

// scales are words for a degree, a time or a rank, from the least to the greatest. Words of one
// place are separated by |.
var scales = [][]string{
	scale("january|jan february|feb march|mar april|apr may june|jun july|jul august|aug " +
		"september|sep|sept october|oct november|nov december|dec"),
	scale("monday|mon tuesday|tue|tues wednesday|wed thursday|thu|thur|thurs friday|fri " +
		"saturday|sat sunday|sun"),
	scale("night early_morning morning noon afternoon evening late_night"),
	scale("never almost_never|hardly_ever rarely|seldom occasionally " +
		"sometimes|moderately often|frequently|regularly|heavily very_often " +
		"usually|mostly|most_of_the_time|most_of_time " +
		"almost_always|nearly_always always"),
	scale("never daily|every_day weekly fortnightly bi-weekly monthly " +
		"quarterly every_3_months|every_three_months " +
		"half-yearly|semi-annually yearly|annually|annual"),
	scale("none|no|zero minimal|negligible extremely_low " +
		"very_low|very_little|lowest|far_below_average low|lower|little below_average " +
		"lower_middle|low_to_medium medium|moderate|average|avg|normal|middle|mid|intermediate " +
		"upper_middle|medium_to_high above_average high|upper " +
		"very_high|highest|far_above_average extremely_high|extreme"),
	scale("none|no|absent minimal mild|slight|minor moderate|medium severe|serious|major " +
		"very_severe|extreme|critical fatal"),
	scale("very_poor|very_bad|terrible poor|bad fair|below_average " +
		"average|moderate|neutral|acceptable|satisfactory good|above_average very_good " +
		"excellent|great|outstanding|best"),
	scale("completely_disagree|strongly_disagree|totally_disagree " +
		"disagree|mostly_disagree somewhat_disagree|slightly_disagree|tend_to_disagree " +
		"neutral|neither|neither_agree_nor_disagree|undecided|no_opinion " +
		"somewhat_agree|slightly_agree|tend_to_agree agree|mostly_agree " +
		"strongly_agree|completely_agree|totally_agree"),
	scale("not_at_all|not " +
		"not_very|notvery|not_really|not_so|not_too|not_much|a_little|slightly|little " +
		"some|somewhat|moderately|partly " +
		"fairly|quite|pretty|mostly|quite_a_bit very|a_lot|very_much extremely|a_great_deal"),
	scale("too_little|too_low|too_few about_right too_much|too_high|too_many"),
	ofDegree("satisfied dissatisfied"), ofDegree("sat unsat"), ofDegree("likely unlikely"),
	ofDegree("happy unhappy"),
	ofDegree("important unimportant"), ofDegree("liberal conservative"), ofDegree("easy difficult"),
	ofDegree("democrat republican"), ofDegree("positive negative"), ofDegree("better worse"),
	ofDegree("increased decreased"), ofDegree("increase decrease"),
	scale("xxs|extra_extra_small xs|extra_small small|s medium|m|middle large|l big " +
		"xl|extra_large|very_large xxl"),
	scale("short medium|average long|tall"),
	scale("poverty|poor working_class|lower_class middle_class upper_class|rich"),
	scale("light medium|moderate heavy"),
	scale("well_differentiated moderately_differentiated poorly_differentiated undifferentiated"),
	scale("underweight|insufficient_weight normal|normal_weight|healthy|healthy_weight " +
		"overweight " +
		"obese|obesity"),
	scale("infant|baby toddler child|kid|children adolescent|teen|teenager youth|young|" +
		"young_adult " +
		"adult middle-aged|middle_age|middle old|older_adult|senior|elderly|senior_citizen"),
	scale("never former|ex|ex-smoker|past|quit|formerly current|now|yes|smoker"),
	scale("no|none maybe|perhaps|sometimes|not_sure yes"),
	scale("freshman|freshmen|fresher|first_year|first-year|firstyear sophomore junior senior " +
		"graduate"),
	scale("trainee|intern fresher entry|entry_level junior|jr associate " +
		"mid|middle|mid_level|mid-level senior|sr lead|principal|manager " +
		"executive|director|vp|ceo|c-level"),
	scale("beginner|novice|basic elementary intermediate upper_intermediate " +
		"advanced|proficient expert|fluent native"),
	scale("easy medium|moderate|intermediate hard|difficult very_hard|expert"),
	scale("bronze|basic|blue silver gold platinum diamond"),
	scale("rural|village semi-urban|semiurban|suburban|suburb|town|semi_urban urban|city|metro"),
	scale("pk|pre-k|prek k|kindergarten first|1st second|2nd third|3rd " +
		"fourth|4th fifth|5th sixth|6th seventh|7th eighth|8th ninth|9th " +
		"tenth|10th eleventh|11th twelfth|12th"),
}

// scale returns the places of a scale.
func scale(places string) []string { return strings.Fields(places) }

// ofDegree returns the scale of an adjective and its opposite.
func ofDegree(adjective string) []string {
	is, not, _ := strings.Cut(adjective, " ")
	var places []string
	for _, word := range []string{not, is} {
		degrees := []string{"extremely_" + word + "|completely_" + word,
			"very_" + word + "|strongly_" + word + "|strong_" + word + "|significantly_" + word +
				"|much_" + word, word,
			"somewhat_" + word + "|moderately_" + word + "|fairly_" + word,
			"slightly_" + word + "|weak_" + word + "|lean_" + word}
		if word == is {
			degrees[3], degrees[4] = degrees[3]+"|moderately", degrees[4]+"|slightly"
			places = append(places,
				"neutral|neither|moderate|average|avg|independent|same|about_the_same|"+
					"stayed_the_same|no_change|unchanged|neither_"+is+"_nor_"+not+
					"|not_"+not+"_at_all|not_at_all_"+not+"|not_"+not)
			slices.Reverse(degrees)
		}
		places = append(places, degrees...)
	}
	return places
}
