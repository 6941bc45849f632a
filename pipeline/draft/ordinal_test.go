package draft

import (
	"slices"
	"strings"
	"testing"
)

// Values with an order are listed in it, all others not at all.
func TestInOrder(t *testing.T) {
	for _, tt := range []string{
		"Under 25|25-34|35-44|65+", "<5|5-9|10 - 14|15 or more", "none|1|2|3|4|more than 4",
		"< 1 year|1 year|2 years|10+ years", "6 months|1 year|2 years", "0 - 9 days|2 weeks|3 " +
			"months",
		"$0-$9,999|$10,000-$19,999|$100,000+|unknown", "<10k|10k-20k|20k-100k|>100k",
		"0-10k|10-20k|100-200k", "Grade 8|Grade 9|Grade 10", "1 child|2 children|10 children",
		"January|February|December", "Mon|Tue|Sat|Unknown", "NA|low|medium|high",
		"7th|8th|9th|10th|12th", "Very Poor|Poor|Good|Excellent", "Strongly disagree|Neutral|Agree",
		"very dissatisfied|dissatisfied|neutral|satisfied|very satisfied",
		"not at all|somewhat|very much", "never|rarely|sometimes|always",
		"High School|Bachelor|Master|PhD", "hs drop out|hs|some college|college|master",
		"1. < HS Grad|2. HS Grad|3. Some College|4. College Grad|5. Advanced Degree",
		"Less than high school degree|High school degree|Some college or Associate degree|" +
			"Bachelor degree|Graduate degree", "lt-hs|highsc|somcol|bach|gradwk",
		"Below_College|College|Bachelor|Master|Doctor", "hs or lower|college|grad|" +
			"other", "primary|middle|high school|university",
		"Not at all worried|Not so worried|Somewhat worried|Very worried|Extremely worried",
		"Low risk|Medium risk|High risk|unknown", "did not drive|0|1-2|3-5|10-19",
		"never|rarely|sometimes|most of time|always|own none", "primary|secondary|" +
			"higher", "never|former|current", "FirstYear|Sophomore|Junior|Senior",
		"Small|Medium|Large", "zero|one|two|three", "18-24|25-34|55+|Prefer not to say",
		"18–24|25–34|100–104", "fewer than 50|50 to 99|100 to 499|500 or more employees",
		"Less than 6 months|6 to 12 months|More than 2 years", "<1/month|1-4/month|" +
			">1/week",
		"new|2 years|7 years|more than 7", "1 vehicle|2 vehicles|3 to 4|more than 8",
		"No Formal quals|Lower Than A Level|A Level or Equivalent|HE Qualification|" +
			"Post Graduate Qualification",
		"none|high school|university", "poverty|working class|middle class|upper class",
		"High school|2-year college degree|4-year college degree|Post-college degree",
		"Weekly|Bi-Weekly|Monthly|Every 3 Months|Annually",
		"Never|Less than once a month|Once a month|2-3 times a month|Weekly|2-3 times a week|Daily",
		"Once a year|A few times a month|About twice a week|Several times a day",
		"Intern|Fresher|Junior|Senior", "Entry|Junior|Mid|Senior|Lead",
		"1 time a month|1 time a week|2 times a week|1 time a day",
		"strongly conservative|conservative|somewhat conservative|moderate, or neither|" +
			"somewhat liberal|liberal|strongly liberal",
		"Less than 20 thousand|20-40 thousand|100+",
		"Strong Republican|Weak Republican|Independent|Weak Democrat|Strong Democrat",
		"Less than $10k|$10-20k|$100-150k|$150k or more", "18-24 years|25-34|35-44|100 or older",
		"Well differentiated|Moderately differentiated|Poorly differentiated|Undifferentiated",
		"Extremely difficult|Very difficult|Somewhat difficult|Not difficult at all",
		"lt15k|15t24k|25t39k|40t49k|50k+",
		"Partial High School|High School|Partial College|Bachelors",
		"High School or Below|College|Bachelor|Master|Doctor",
		"Secondary|Certificate|Diploma|Bachelor|Postgraduate",
		"No certificate|12th grade, no diploma|Some college|Professional certificate|" +
			"Bachelor|Graduate certificate",
		"High school equivalency certificate|Trade certificate|Non-university certificate|" +
			"University certificate below bachelor|Bachelor",
		"Lower secondary|Secondary|Incomplete higher|Higher education|Academic degree",
		"Illiterate|Writing & reading|Elementary school|Junior high school|High school|" +
			"Above high school|Unknown",
		"0 hour|0.1 to 4.9 hours|5 to 9.9 hours|10 hours and more|Don't know|Refusal|Valid skip",
		"very_unsat|unsat|avg|sat|very_sat", "very_little|little|avg|high|very_high",
		"None|One|Two|Three|Nine or more", "None|Minimal|Minor|Major|Fatal",
		"Less than $15,000|$15,000 to under $50,000|$50,000 to under $100,000|More than $200,000|" +
			"I’d rather not say", "Up to £5k|£5k or more but less than £10k|Over £10k",
		"Under $1 000|$1 000 to 2 999|$10000 to 12499|$90000 or over|Don't know / Refused|Refused",
		"At most 5 000 zł|5 001-10 000 zł|At least 1 000 000 zł", "0|1|2|Eight or more|Dk na",
		"No Income|Below Rs.10000|10001 to 25000|More than 25000",
		"1 drink|2 drinks|10 or more drinks", "30 min|1 hour|90 min|2 hours",
		"Not at all|Not really|Somewhat|Very|Unsure", "PK|K|1|2|10",
		"Pre-K|Kindergarten|1st|Grade 2|10th grade", "K|1st|2nd|3rd",
		"Far below average|Below average|Average|Above average|Far above average|No answer",
		"NA|Grade 8 or less|Grades 9 to 11|Graduated High School|1 to 3 years of college|" +
			"College graduate|Grad Study",
		"menos de 1 ano|de 1 a 2 anos|de 3 a 4|5 até 6|de 10 a 11 anos|mais de 11 anos",
		"sem renda|até R$ 1.000|R$ 1.001 a 2.000|R$ 2.001 a R$ 3000|de 3.001 a 4.000|R$ 10.000 a " +
			"20.000|acima de 20.000", "ต่ำกว่า 15 ปี|15 - 20|21 - 25|26 - 30|31 - 100",
		"lower 1/3|middle 1/3|upper 1/3", "Negative|Neutral|Positive",
		"Decreased (I expect it)|Stayed the same (as ever)|Increased (I expect it)",
		"Not at all…|Not much|Some|A lot", "Never|Rarely|Occasionally|Moderately|Heavily",
		"Rarely|Few times a month|Few times a week|Multiple times a day",
		"Weekly|Fortnightly|Bi-Weekly|Monthly|Quarterly|Every 3 Months|Annually",
		"Never|Once a year|Every three months|Once a month|Once a week|More than once a week",
		"1+2|3+4|5+6|9+10", "Intern/Fresher|Junior|Mid|Senior|Lead",
		"Significantly worse|Somewhat worse|About the same|Somewhat better|Significantly better",
		"Unimportant|Slightly|Moderately|Important|Very Important", "School|Graduate|Masters",
		"meno di 10K|da 10 a 20K|da 20 a 25K|da 25 a 30K|da 80 a 100K|oltre i 100K",
		"<1 anno|da 1 a 3 anni|da 4 a 7 anni|10+ anni",
		"0-2|5-Mar|8-Jun|11-Sep|Dec-14|15-17|24-26", "Rarely|Monthly|Weekly|Daily",
		"(60,64.5]|(64.5,69]|(69,73.5]|(73.5,78]", "lowest|2|3|4|highest",
		"Not at all religious|2|3|4|Extremely religious", "Too Little|About Right|Too Much",
		"Non-Travel|Travel_Rarely|Travel_Frequently", "No|Somewhat|Very",
		"LT HIGH SCHOOL|HIGH SCHOOL|JUNIOR COLLEGE|BACHELOR|GRADUATE",
	} {
		want := strings.Split(tt, "|")
		if got := inOrder(slices.Sorted(slices.Values(want))); !slices.Equal(got, want) {
			t.Errorf("%q in order: %q", want, got)
		}
	}
	for _, tt := range []string{
		"red|green|blue", "1st|2nd",
		"a10|b9|c8", "high|low", "Mon|Mon.|Tue", "low|medium|high|purple",
		"New York|Boston|Austin", "2 doors|4 windows|10 chairs", "10|9", "1-2|1-2 |3",
		"low|medium|moderate|high", "1 2 3|4 5 6|10 11 12", "single|married|divorced", "",
		"10|9|unknown|other|n/a", "01|23|46|7p", "v 9-11|w 1-2|x 3-4",
		"a 9-11|b 1-2|c 3-6|d 5-8", "a 9-11|b 1-2|c 3-4|d 5-8|e x",
		"2|3|4|mild|highest", "Travel_Rarely|Cruise_Frequently|Non-Travel", "No|Somewhat|Green",
		"Not_Often|Never|Fairly_Often", "NA|No|Yes", "Not assessed|Negative|Positive",
	} {
		if got := inOrder(strings.Split(tt, "|")); got != nil {
			t.Errorf("%q in order: %q", tt, got)
		}
	}
}
