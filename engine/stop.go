package engine

// Stop says why a label of a cut was not refined further.
type Stop struct {
	Why Why
	Set int // WhySet: the set of the reduced requirement that refining the label would break
}

// Why is a kind of reason.
type Why uint8

// The reasons.
const (
	WhyFinest  Why = iota // there is nothing below it that the search knows
	WhyEmpty              // no record has it
	WhyClass              // its records have one class: refining it gains nothing
	WhyRecords            // a part of it has fewer records than the k of a set
	WhySet                // fewer records than k would be alike in a set
	WhySteps              // the steps were used up
)
