package sample

// The domains of the sample's categorical attributes. A value's place in its domain is its
// number everywhere in the sample; docs/demo/taxonomies.yaml has trees over the same values.
var (
	sexes = []string{"Female", "Male"}
	races = []string{"White", "Black", "Asian-Pacific", "Native-American", "Other"}

	educations = []string{
		"Preschool", "1st-4th", "5th-6th", "7th-8th", "9th", "10th", "11th", "12th", "HS-grad", "Some-college",
		"Assoc-vocational", "Assoc-academic", "Bachelors", "Masters", "Professional", "Doctorate",
	}
	workclasses = []string{
		"Private", "Self-employed", "Self-employed-inc", "Federal", "State", "Local", "Without-pay",
	}
	maritals = []string{
		"Married", "Never-married", "Divorced", "Separated", "Widowed", "Spouse-absent", "Spouse-in-forces",
	}
	relationships = []string{"Husband", "Wife", "Own-child", "Not-in-family", "Other-relative", "Unmarried"}
	occupations   = []string{
		"Clerical", "Craft-repair", "Managerial", "Farming-fishing", "Cleaners", "Machine-operator", "Other-service",
		"House-service", "Professional", "Protective", "Sales", "Tech-support", "Transport", "Armed-forces",
	}
	countries = []string{
		"United-States", "Canada", "Puerto-Rico", "Mexico", "Guatemala", "El-Salvador", "Honduras", "Nicaragua",
		"Cuba", "Dominican-Republic", "Haiti", "Jamaica", "Colombia", "Ecuador", "Peru",
		"England", "Germany", "France", "Ireland", "Italy", "Portugal", "Greece", "Poland", "Hungary",
		"China", "Japan", "South-Korea", "Taiwan", "Philippines", "Vietnam", "Laos", "Thailand", "India", "Iran",
	}
	incomes = []string{"<=50K", ">50K"}

	// What tax forms of the kind report: few amounts, each of many people.
	capitalGains = []int{
		0, 114, 594, 914, 1055, 1506, 2174, 2407, 2829, 3103, 3325, 3464, 3908, 4101, 4386, 4650, 5013, 5178, 6497,
		7298, 7688, 8614, 9386, 10520, 13550, 14084, 15024, 20051, 27828, 99999,
	}
	capitalLosses = []int{
		0, 213, 625, 880, 1340, 1408, 1485, 1504, 1564, 1590, 1602, 1651, 1669, 1719, 1740, 1762, 1848, 1876, 1887,
		1902, 1977, 2001, 2051, 2179, 2258, 2415, 2444, 2559, 3004, 3770, 4356,
	}

	femaleNames = []string{
		"Ada", "Alice", "Amina", "Anna", "Aisha", "Beatrice", "Carmen", "Clara", "Daniela", "Diana", "Elena", "Elsa",
		"Emma", "Esther", "Fatima", "Grace", "Hannah", "Helen", "Ines", "Irene", "Jane", "Judith", "Karen", "Laura",
		"Leila", "Linda", "Lucia", "Maria", "Martha", "Mei", "Nadia", "Nora", "Olga", "Priya", "Rosa", "Ruth",
		"Sarah", "Sofia", "Teresa", "Yuki",
	}
	maleNames = []string{
		"Adam", "Ahmed", "Albert", "Andre", "Antonio", "Boris", "Carlos", "Charles", "Daniel", "David", "Diego",
		"Edward", "Emil", "Felix", "Frank", "George", "Hans", "Henry", "Ivan", "Jack", "James", "John", "Jorge",
		"Joseph", "Kenji", "Leo", "Louis", "Luis", "Mark", "Miguel", "Mohammed", "Oscar", "Paul", "Peter", "Raj",
		"Robert", "Samuel", "Thomas", "Victor", "Wei",
	}
	lastNames = []string{
		"Adams", "Ali", "Allen", "Anderson", "Bailey", "Baker", "Bell", "Bennett", "Brooks", "Brown", "Butler",
		"Campbell", "Carter", "Castillo", "Chen", "Clark", "Coleman", "Collins", "Cook", "Cooper", "Cox", "Cruz",
		"Davis", "Diaz", "Edwards", "Evans", "Fisher", "Flores", "Foster", "Garcia", "Gomez", "Gonzalez", "Gray",
		"Green", "Gupta", "Hall", "Harris", "Henderson", "Hernandez", "Hill", "Howard", "Hughes", "Jackson", "Jenkins",
		"Johnson", "Jones", "Kelly", "Khan", "Kim", "King", "Kumar", "Lee", "Lewis", "Long", "Lopez", "Martin",
		"Martinez", "Miller", "Mitchell", "Moore", "Morales", "Morgan", "Morris", "Murphy", "Myers", "Nelson",
		"Nguyen", "Ortiz", "Parker", "Patel", "Perez", "Peterson", "Phillips", "Powell", "Price", "Ramirez", "Reed",
		"Reyes", "Richardson", "Rivera", "Roberts", "Robinson", "Rodriguez", "Rogers", "Ross", "Russell", "Sanchez",
		"Sanders", "Scott", "Smith", "Stewart", "Sullivan", "Taylor", "Thomas", "Thompson", "Torres", "Turner",
		"Walker", "Wang", "Ward", "Watson", "White", "Williams", "Wilson", "Wood", "Wright", "Young",
	}
)
