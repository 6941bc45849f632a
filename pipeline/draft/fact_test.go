package draft_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/pipeline/draft"
)

// The first set has the facts that people know about others, by rules that fit many names: times of
// work and of marriage, things that somebody owns, questions, children, spouses and visible traits.
// It has no opinion, no income, no figure of a place, no limit of ages, and nothing about health
// that nobody sees. Some names mean a fact only in a table of people, or of people at work.
func TestDraftKnowsFactsByRules(t *testing.T) {
	for _, tt := range []struct{ known, others string }{
		{"age casualty_class casualty_type person_type role road_user", "casualty_level"},
		{"age", "quality person_type role"}, {"age", "CASE.AGE sensation.experience_seeking"},
		{"age job", "housing loan default"}, {"age housing", "loan deposit"},
		{"age experience", "By.your.experience.do.you.recommend.it Are.you.willing.to.change.job"},
		{"Age YearsInCurrentRole YearsSinceLastPromotion TotalWorkingYears BusinessTravel " +
			"OverTime Designation", "JobSatisfaction JobInvolvement MonthlyIncome WorkLifeBalance"},
		{"age OwnCar Passport NumberOfChildrenVisiting FLAG_OWN_REALTY num_cars dwelling_type " +
			"has_pet", "car_value loan_purpose"},
		{"sex lang disability foreign_born international_flag yrs_since_immigration commute_mode " +
			"veteran_status military_service", "langPOST time_on_site health_insurance"},
		{"age GraduateOrNot imd_band highest_education Location", "studied_credits"},
		{"age Where.do.you.live Where_are_you_based Do.you.smoke How_many_children_do_you_have",
			"At_what_age_should_people_vote What_do_you_think_of_work_stress"},
		{"age zodiac sign alopecia NAME_FAMILY_STATUS", "road_sign DAYS_ID_PUBLISH"},
		{"sex k5 k618 ba nsibs brthord hgc depends imigrnt agefbrth siteid", "k1 k9"},
		{"age housing_status is_health_worker", "housing_loan"},
		{"age income_type Type_Income", "income_level"},
		{"age Convicting_Offense_Type Release_Type", "prior_offense Inmate_group"},
		{"age arrival_month adults", "no_of_week_nights parking_space room_price"},
		{"age lat lng point_x", "price dist"},
		{"age agpop rice_area_2010 read_and_write literacy", "rice_yield"},
		{"age work_type num_preg personal_status minority economic_status home",
			"work_load home_loan"},
		{"kids size nadults", "sizes"}, {"age", "size"},
		{"age course module code_module program_type", "gpa course_fee"}, {"age", "course"},
		{"age level_of_study institute_type", "school_enjoyment safety_at_school " +
			"missed_school parent_attends_school Job_Opportunities Job_Security Family_Influence " +
			"result_increased_by_education priority_need/education spend_transportation " +
			"telecom_partner"},
		{"sex rank discipline yrs.service yrs.since.phd role", "salary"},
		{"colour minority single afam hschool Location", "denied"},
		{"age yearsmarried nkids kidslt6 youngkids maried hage huseduc husunion",
			"hours wage kidney"},
		{"age b_day pregnant Pregnancies gravida", "diagnosis income birth_weight"},
		{"age relation_to_head rel2head ancestry tribe nativity immstat homelanguage lga woreda " +
			"hhmmb numadults isced occup inputstate townvill years_resided famtype",
			"relative_risk tribute nativeplants headache"},
		{"sex class_year YearOfStudy", "year_class"},
		{"indage headsex respeduc", "headway indent respite"},
		{"age hhsize rooms toilet", "water"}, {"age hhsize", "rooms price"},
		{"age Kidhome Teenhome cuposkids birthOrd nevermarried separated jewish muslim indig " +
			"over65 immig", "over50k immigration_bill handicapped-infants"},
		{"age auto_make car_model Property_Area locality address",
			"policy_deductable living_area number_of_vehicles_involved"},
		{"age company_size no_employees remote_work tech_company tech_IT_primary_role " +
			"work_position occp SelfEmployed MTRANS clinic_name",
			"employer_mh_benefits discuss_mh_with_employer gayFavorFederalMarriage job_seek"},
		{"age specialisation stream hsc_s ssc_b workex degree_t", "degree_p hsc_p ssc_marks " +
			"college_gpa"},
		{"sex Handcap cig booze momEd husEmpl daded agew babies",
			"dependent_disorder injury_height intellectual_disability"},
		{"sex", "age_limit drinking_age_cutoff retire_age age_is_imputed total_family_income " +
			"household_income school_satisfaction family_history religion_importance pct_black " +
			"frac_white"},
		{"age Years_Played", "Foreign_Currency_Account"},
		{"age MSTATUS Vehicle_Class", "bothered_about_age"},
		{"age Agency_responsible", "armed agencies"}, {"age", "agency"},
		{"age team Nat Cntry DftYr DftRd Ovrl Pr_St", "Match"}, {"age", "Nat Ovrl"},
		{"age", "rank colour_code health_self_rated happiness fare_class survey_wt"},
		{"zip colour", "rank discipline tenure"},
		{"ht_cm Denomination body_type RIDRETH1 DMDHHSIZ BMXHT gndr villnum", "wt_band"},
		{"agey houshead adults arrival_month Academic_Level Nicotine", "wave suicidal_thoughts"},
		{"age Dependent_count deathYear year_of_death mother_tongue cur_eco_activity", "wave_2"},
		{"age length_of_service Previous_qualification smoking_history", "previous_job"},
		{"age date month", "suicide_method dose_week"}, {"age", "date month wave"},
		{"age tenure exp self_employed", "wage expenditure"},
		{"age dept sector DepartmentType EmployeeType EmployeeStatus Employee_Classification",
			"user_type"},
		{"age", "Tenure EstimatedSalary"},
		{"age sex yronset CigCon YoS Use.Tob BL.Cig.Day Nat.Am DAYS_EMPLOYED CNT_FAM_MEMBERS",
			"onset_score yogurt"},
		{"age fgrade grade76", "grades"}, {"age", "grade76"},
		{"sexmale African_American byear agemon yod property_type YOJ Institution_Type",
			"pop population"},
		{"age city population", "pop"}, {"JOB value", "MORTDUE"},
		{"NumChildren NumPeople NumWorkers", "members_fee"},
		{"age wins losses draws", "stance outreach"}, {"age party", "candidate parties"},
		{"lat lon date age", "update"}, {"lat lon age", "date price"},
		{"age BMI_RANGE", "HealthLiteracy UrinaryTractInfections postal_votes"},
		{"sex Numberofdependents engnat", "numbers"}, {"age smoker alcohol", "sbp dbp chol"},
		{"sex designation division title team BusinessUnit", "unit"}, {"sex", "division"},
		{"age tenure union", "joblost"}, {"age", "tenure churn"},
		{"age yrdispl year_retired hiring_date", "year_dispatched years_lost"},
		{"age tserved time_served months_in_prison sentence_months release_month",
			"felon customers_served sentence"},
		{"age", "release_month movie"},
		{"age smkintensity82_71 qsmk", "dosemk"},
		{"age Plural RaceMom", "Weeks"}, {"age", "plural"},
		{"age bplace pob place_of_birth", "place"},
		{"age Dateofjoining LastWorkingDate doj JoiningYear joined_month date_of_leaving hire_dt " +
			"resignation_date", "start_date exit_date termination_date joint_date leave_days"},
		{"Designation start_date ExitDate date_of_termination emp_entry_year Grade",
			"contract_start_date campaign_end_date Grade_points"},
		{"age", "grade Income termination_date"},
		{"age grade", "salary"}, {"age", "grade salary loan_amount"},
		{"age IncidentDate Occurred_Time date_of_accident arrest_hour stop_date",
			"report_date stop_time arrests_total crime_rate"},
		{"sex officer_race beat date activity_time stop_time OCCURRED_D unit_division",
			"report_date end_time dist_left"}, {"sex", "date time beats"},
		{"age area precinct zone sector REPORTING_AREA", "sq_area"},
		{"age", "area scores"},
		{"age time_spend_company OFFICER_YEARS_ON_FORCE days_in_position",
			"time_on_site force_used"},
		{"age sport gold total_silver medals", "gold_card"}, {"age", "gold medals"},
		{"age", "sport season domain level discipline"}, {"age season", "contestant"},
		{"age student_level level discipline", "risk_level"}, {"sex phd domain YEARSEXP", ""},
		{"age frosh soph class_standing child_total ethrace2a ncigs0 heightinchestotal",
			"cigpric child_care"},
		{"age", "Job_Offers University_Ranking Years_to_Promotion avg_f_size subscription_age"},
		{"age job", "openess_to_experience job_conscientiousness"},
		{"sex city beat", "beats"}, {"sex", "beat"}, {"sex datestop timestop", "frisked reststop"},
		{"age newLeague pick team number", "league_rate picks"}, {"age", "number"},
		{"age mthage chldage agemth bdate jobtime prevexp", "monthage_x"},
		{"age tenure76", "wage_76 rate76"},
		{"age grade grade_label Learning_Disabilities", "student_aid learning_style"},
		{"age School_Grade HomeSize flat_rooms", "home_score"},
		{"age", "Time_on_Education Family_Communication car_usage wants_pets"},
		{"sex Department Tenure_in_org_in_months tenure_months", ""},
		{"sex tenure_months", "salary"}, {"sex married dep self sch", "unit"}, {"sex", "dep self"},
		{"sex EmpType Dept TeamSize NumReports jobtitle", "num_items"}, {"sex", "TeamSize"},
		{"num_passengers trip_type length_of_stay", "booking_note"},
		{"age length_of_stay_days", "patient_level"}, {"age", "length_of_stay"},
		{"age", "Color Size Season Purchase_Amount Frequency_of_Purchases"},
		{"age ethnicty educaton occuption martial_status",
			"cuntry eduction_cost statoin practiced"},
		{"age no_of_employees yr_of_estab founded company_age",
			"wage 2016_Overtime_Pay no_of_calls"},
		{"age", "founded Ne Ag Co Ex Op V5.TD"},
		{"age numlt5 num5_17 num_gt64 under6 nyc fbaby oldbro Twin_Sis OwnRent make_model " +
			"continent ed_lvl position_cat officer_rank academia_length title " +
			"which_category_best_describes_the_work_you_do",
			"gt5 num517 educational_channels edu_exp job_sat foreign_Mean d_miss_race " +
				"education_incentive"},
		{"age religious lan_spoken company_location reg_ne householder nbcars relation own GEND " +
			"wexp experien ed_level deg_hs student_status career_status position_level nev_mar " +
			"deaf",
			"reg_date own_risk time_to_hire unsafe_school country_attach planned_education " +
				"smoke_age AutoAge1 sex_ever hip_height relation_score career_score"},
		{"pareduc ageentry construc gq overwt homeless", "partuc constr_cost"},
		{"age remote remote_days", "remote_ratio"},
		{"sex occupation contract_type", ""}, {"sex occupation", "contract_type plan"},
		{"sex tenure", "manager"}, {"sex", "tenure"}, {"sex occupation", "tenure churned"},
		{"sex pclass embarked", ""}, {"sex", "pclass"},
		{"sex experience role rolegroup", ""}, {"sex", "rolegroup"},
		{"sex party chamber term incumbent office_type", ""}, {"sex", "term"},
		{"sex team yearID startYear lgID round", ""}, {"sex", "yearID startYear round"},
		{"sex draft allstar", "rebounds"}, {"sex", "draft allstar"},
		{"age", "new_offense_type prisoner"},
		{"Age How_tall_are_you Do_you_have_any_children_under_18", "How_rude_is_an_unruly_child " +
			"How_much_money_did_your_household_earn Do_you_feel_at_home_in_your_country " +
			"Have_you_ever_smoked_in_the_bathroom_of_a_plane_against_all_the_rules"},
	} {
		var columns []string
		for _, name := range strings.Fields(tt.known + " " + tt.others) {
			columns = append(columns, name+"=a|b|c")
		}
		text := study(t, 600, columns...)
		checkCertain(t, text, tt.known)
	}
}

// Numbers of institutions in which people are treated or learn are known, and have no order, and so
// are those of the villages in which a survey asks, but not of clusters that somebody computed.
func TestDraftKnowsNumbersOfInstitutions(t *testing.T) {
	const villages = "=11|12|13|14|15|16|17|18|19|20|21|22|23|24|25|26|27|28|29|30|31"
	text := study(t, 3000, "age#", "HOSPNUM=3|5|8|21|44", "centre_id=1|2|7", "schoolno=11|12|19",
		"hospitals=0|1|2|3", "school_score=1|2|3", "sitenum=101|102|205", "room_no=1|2|9",
		"inst=3.0|5.0|12.0", "region_of_work=1|2|3",
		"cluster_id"+villages, "ea"+villages, "cluster=1|2|3", "cluster_size"+villages)
	checkCertain(t, text,
		"age HOSPNUM centre_id schoolno sitenum inst region_of_work cluster_id ea")
	for name, want := range map[string]string{"HOSPNUM": "suppress", "centre_id": "suppress",
		"schoolno": "suppress", "sitenum": "suppress", "hospitals": "discretize",
		"inst": "suppress", "region_of_work": "suppress",
		"cluster_id": "suppress", "ea": "suppress", "cluster": "discretize"} {
		if got := roleOfText(text, name); got != want {
			t.Errorf("%s: %s, want %s:\n%s", name, got, want, text)
		}
	}
}

// The day of a death, of a stop or the like is known if the file, or a column of texts, is called
// so: one that is called like the day of an event, or the only one. So are days of a stay as
// numbers of days.
func TestDraftKnowsDaysOfEvents(t *testing.T) {
	const days = "=2020-01-03|2020-01-09|2021-05-04|2021-06-06"
	for _, tt := range []struct{ file, columns, want string }{
		{"mohd_deaths.csv", "age#;date" + days, "age date"},
		{"mohd.csv", "age#;date" + days, "age"},
		{"boston_marathon.csv", "age#;event=a|b|c", "age event"},
		{"boston.csv", "age#;event=a|b|c", "age"},
		{"mohd_deaths.csv", "age#;date" + days + ";vow" + days, "age"},
		{"fatalencount.csv", "age#;date" + days, "age date"},
		{"table.csv", "age#;date" + days + ";armed=a|b|c", "age date"},
		{"table.csv", "age#;Date submitted" + days + ";armed=a|b|c", "age"},
		{"table.csv", "age#;Reported_Date" + days + ";vow" + days + ";Stop Resolution=a|b|c",
			"age Reported_Date"},
		{"table.csv", "age#;EventDate" + days + ";vow" + days + ";DeathType=a|b|c",
			"age EventDate"},
		{"table.csv", "age#;Reported_Date" + days + ";stops=1|2|3;death=0|1", "age"},
		{"table.csv", "age#;sadmdte#;dthdte#;lstctdte#;dose#", "age sadmdte dthdte"},
		{"table.csv", "age#;sadmdte=1|2|3;update#", "age"},
		{"table.csv", "age#;Join_Date=2.5|3.1|4.2|7;awards=1|2|3", "age"},
		{"table.csv", "age#;Join_Date=20190302|20190401|20200506;awards=0|1",
			"age Join_Date awards"},
	} {
		study(t, 600, strings.Split(tt.columns, ";")...)
		if err := os.Rename("study.csv", tt.file); err != nil {
			t.Fatal(err)
		}
		checkCertain(t, draftOf(t, draft.Options{Input: []string{tt.file}}), tt.want)
	}
}

// Some names mean a part of a country only next to another one, and a day on which somebody joined
// is known of members, and not of customers.
func TestDraftKnowsByOtherColumns(t *testing.T) {
	const days = "=2020-01-03|2020-01-09|2021-05-04|2021-06-06"
	numbers := strings.Trim(strings.ReplaceAll(fmt.Sprint(make([]int, 40)), " ", "|"), "[]")
	for i := range 40 {
		numbers = strings.Replace(numbers, "0|", fmt.Sprint(100+i, "|"), 1)
	}
	for columns, want := range map[string]string{
		"age#;ne=0|1;nw=0|1": "age ne nw", "age#;ne=0|1;Ag=0|1": "age",
		"age#;ne=1|2|3;nw=0|1":                                     "age nw",
		"age#;JoinDate" + days + ";Subscription Type=a|b":          "age",
		"age#;Join Month=Jan|Feb;Plan=a|b":                         "age",
		"age#;Dt_Customer" + days + ";NumDealsPurchases#":          "age",
		"age#;JoinDate" + days + ";club=a|b;payment=1|2":           "age JoinDate club",
		"age#;JoinDate" + days + ";payment=1|2;experience#":        "age JoinDate experience",
		"age#;HSC#;SSC=a|b;city=x|y":                               "age SSC city",
		"age#;ba=0|1;sex=m|f":                                      "age ba sex",
		"age#;ba=0|1;sex=m|f;htn=0|1":                              "age sex",
		"age#;goitre=" + strings.Repeat("f|", 30) + "t":            "age",
		"age#;JoinDate" + days + ";employee=a|b;Health plan=x|y|z": "age JoinDate",
		"age#;party=a|b;seat=a|b;eyes=b|g;hair=c|d":                "age party seat eyes hair",
		"age#;party=a|b;set=a|b;eyes=b|g;hairs=c|d":                "age",
		"age#;elected=0|1;symbol=a|b;political_party=c|d":          "age symbol political_party",
		"age#;player#;pick#;year=2010|2011|2012;Tm=a|b|c":          "age pick year Tm",
		"age#;year=2010|2011|2012;Tm=a|b|c":                        "age",
		"age#;year=2010|2011|2012;team=a|b|c":                      "age year team",
		"age#;year=2010|2011|2012;team=a|b|c;loan#":                "age team",
		"age#;weights#;heights#":                                   "age weights heights",
		"age#;lat#;long#":                                          "age lat long",
		"age#;muslim1=1|2|3|4|5":                                   "age",
		"age#;muslim1=0|1":                                         "age muslim1",
		"age#;work=Walking|NotWorking|Looking":                     "age",
		"age#;work=Working|NotWorking":                             "age work",
		"age#;hospital=0|1|2|3":                                    "age",
		"age#;hospital=1|2|3":                                      "age hospital",
		"age#;habit=smoker|nonsmoker":                              "age habit",
		"age#;habit=walker|nonwalker":                              "age",
		"age#;mom_ht=0|1":                                          "age",
		"age#;mom_ht=60|61|62":                                     "age mom_ht",
		"age#;smoker=0|1;alcohol=" + numbers:                       "age smoker",
		"age#;short#;long#":                                        "age",
		"age#;deathPlaces=a|b|c|d|e|f":                             "age deathPlaces",
		"sex=m|f;enum_sex=m|f":                                     "sex",
		"age#;num_children=0|1|2":                                  "age num_children",
		"age#;num_children_idp#":                                   "age",
		"age#;booking_date" + days:                                 "age booking_date",
		"age#;booking_date" + days + ";hotel=a|b|c":                "age",
		"age#;address=" + numbers:                                  "age address",
		"age=14|15|16|17;sex=m|f;grade=9|10|11|12":                 "age sex grade",
		"age=14|15|16|27;sex=m|f;grade=9|10|11|12":                 "age sex",
		"age#;rest=a|b;Year=FirstYear|Sophomore|Junior|Senior":     "age Year",
		"age#;season=a|b|c;died=0|1;year=1999|2001":                "age season year",
		"age#;death#;dose#":                                        "age death",
		"age#;handedness=left|right":                               "age handedness",
		"age#;apps_used_most=a|b|c;Most_Used_App=x|y|z;sex=m|f":    "age sex",
		"age#;location=left lobe|right lobe|lung|chest":            "age",
		"age#;position=supine|prone|on the side":                   "age",
		"age#;position=top|second":                                 "age position",
		"age#;adm#;dis#":                                           "age adm dis",
		"age#;schtyp=1|2;math#":                                    "age schtyp",
		"age#;schtyp=1|2;prog=a|b;cost#":                           "age",
		"age#;lang#;black#;height=0|1":                             "age",
		"age#;anonymized_race=a|b;workers_number=a|b;degreee=a|b": "age anonymized_race " +
			"workers_number degreee",
		"q1_age#;q2_stream=a|b;q3_height=0|1;q3_tea=0|1;q3_milk=0|1": "q1_age q2_stream",
		"age#;dis#":                        "age",
		"age#;icu_days#;patient_group=a|b": "age icu_days",
		"age#;icu_days#;cost#":             "age",
		"age#;discharge_disposition=Home|Rehab|Other;admitted#":    "age discharge_disposition",
		"age#;Model=a|b|c;Body=x|y;Engine=v|w":                     "age Model Body",
		"age#;Model=a|b|c;cost#":                                   "age",
		"age#;Bonus. Only answer if in same country=1|2|3;sex=m|f": "age sex",
		"age#;rank=a|b|c;prof_id#":                                 "age rank",
		"age#;overtime#":                                           "age",
		"age#;mage#;order=1|2|3":                                   "age mage order",
		"age#;order=1|2|3":                                         "age",
		"age#;hhsize=1|2|3;stories=1|2|3":                          "age hhsize stories",
		"age#;employee=a|b;termdate" + days:                        "age termdate",
		"age#;injured=0|1|2;victims=1|2|3;killed=0|1":              "age injured victims killed",
		"age#;injured=0|1|2":                                       "age",
		"sex=m|f;n_male_victims=1|2|3;victims=1|2":                 "sex n_male_victims victims",
		"age#;elected=0|1;party_code=1|2|4":                        "age party_code",
		"age#;Execution_Date" + days + ";vow" + days:               "age Execution_Date",
		"age#;DOJ_extended=yes|no":                                 "age",
		"age#;q30=Texas|New York|Utah;q31=Pacific|Mountain":        "age q30 q31",
		"level=a|b|c;hire_date=2001-01-02|2003-04-05|2007-08-09;tenure_years#": "level hire_date " +
			"tenure_years",
	} {
		text := study(t, 600, strings.Split(columns, ";")...)
		checkCertain(t, text, want)
		if got := doubted(text); slices.Contains(got, "JoinDate") ||
			slices.Contains(got, "Dt_Customer") || slices.Contains(got, "Most_Used_App") ||
			slices.Contains(got, "apps_used_most") {
			t.Errorf("%s: %q in doubt", columns, got)
		}
	}
	// the name of the file says whose party it is
	write(t, "MPs.csv", "age,party\n"+strings.Repeat("40,a\n50,b\n60,a\n40,b\n50,a\n60,b\n", 50))
	checkCertain(t, draftOf(t, draft.Options{Input: []string{"MPs.csv"}}), "age party")
}

// Parts of days with a word for a stay are known, if their values are in their limits, or with
// another part of the same day. A day of entry and the time up to a death from then on are known
// together.
func TestDraftKnowsPartsOfDays(t *testing.T) {
	const days = "=2020-01-03|2020-01-09|2021-05-04|2021-06-06"
	for _, tt := range []struct{ columns, want string }{
		{"age#;randomisation_date" + days + ";weekday=1|2|7", "age"},
		{"age#;stroke=a|b|c;sbp#;DAYLOCAL=1|2|7", "age"},
		{"age#;entry_date" + days + ";dtime#;death=0|1", "age entry_date dtime"},
		{"age#;entry_date" + days + ";rtime#;recur=0|1", "age"}, {"age#;dtime#;death=0|1", "age"},
		{"age#;admission_month=1|5|12;discharge_dow=Mon|Tue|Sun;admission_hour=0|70|100;" +
			"admission_type=1|2|3", "age admission_month discharge_dow"},
		{"age#;admission_yr=2001|2002;admission_day=1|9|99", "age admission_yr admission_day"},
	} {
		checkCertain(t, study(t, 600, strings.Split(tt.columns, ";")...), tt.want)
	}
	// k counts who died here
	checkCertain(t, study(t, 2400, "age#", "entry_date"+days, "dtime#", "death=0|1"),
		"age entry_date dtime death")
}

// Some letters that several names have in front of a fact say nothing of it, but not where few have
// them, where they are one letter but q, and in front of other words.
func TestDraftKnowsFactsBehindPrefixes(t *testing.T) {
	for columns, want := range map[string]string{
		"hvage# hvgender=a|b hvrace=a|b|c hvincome=a|b|c hv025=a|b": "hvage hvgender hvrace",
		"CLMAGE# CLMSEX=1|2 CLMINSUR=1|2":                           "CLMAGE CLMSEX",
		"sex=m|f hvage# hvrace=a|b|c":                               "sex",
		"sex=m|f wage# wrace=a|b|c wsex=1|2":                        "sex",
		"sex=m|f natcity=a|b nateduc=a|b natrace=a|b|c":             "sex",
		"sex=m|f stage1=0|1|2 stage2=0|1|2 stage3=0|1|2 x=3|4":      "sex",
		"ppage# ppethm=1|2|3 ppincimp=1|2|3":                        "ppage ppethm",
		"Qgender=m|f Qcountry=a|b|c Qdegree=a|b|c x=3|4":            "Qgender Qcountry Qdegree",
		"sex=m|f Qgender=a|b Qcountry=a|b|c x=3|4":                  "sex",
		"sex=m|f eth1=a|b|c eta1=a|b|c x=3|4":                       "sex eth1",
	} {
		checkCertain(t, study(t, 600, strings.Fields(columns)...), want)
	}
}

// Names in other languages mean the same, with accents and without, as whole words and in parts.
// Some count only as whole names, as they mean something else in English.
func TestDraftKnowsFactsInOtherLanguages(t *testing.T) {
	phones := "Teléfono=5550000"
	for i := range 300 {
		phones += fmt.Sprint("|", 5_550_007+7*i)
	}
	text := study(t, 600, "Fecha de nacimiento=1990|1991|1992", "sexo=1|2", "Ocupación=a|b",
		"estado civil=a|b", "CS_RACA=1|2|4", "nb_enfants=0|1|2", "Familienstand=a|b", "plz=a|b",
		"code_postal=1234|1240", "Alter#", "alter_ego=a|b", "décor=a|b", "land=a|b", "salario=a|b",
		"apellidos=a|b|c", phones, "dirección#", "nombres_de_calles=a|b",
		"opleidingsniveau=1|2", "años_en_empresa=1|2|3", "freres.soeurs=0|1|2",
		"trav.satisf=a|b|c|d", "Resultado=a|b|c|d|e", "tipo=a|b|c|d|e")
	want := []string{"Fecha de nacimiento", "Alter", "sexo", "plz", "code_postal", "Ocupación",
		"estado civil", "CS_RACA", "nb_enfants", "Familienstand", "opleidingsniveau",
		"años_en_empresa", "freres.soeurs"}
	if got := certain(t, text); !slices.Equal(got, want) {
		t.Errorf("known: %q, want %q:\n%s", got, want, text)
	}
	for name, want := range map[string]string{"apellidos": "drop", "Teléfono": "drop",
		"dirección": "drop", "sexo": "suppress", "CS_RACA": "suppress",
		"nombres_de_calles": "suppress"} {
		if got := roleOfText(text, name); got != want {
			t.Errorf("%s: %s, want %s:\n%s", name, got, want, text)
		}
	}
}

// A question's words behind its mark say how to answer, as do those behind a request.
func TestDraftKnowsFactsByQuestions(t *testing.T) {
	zip := "In what ZIP code is your home? (enter all 5 digits of it as 00544 or 94305)"
	const long = "What is the postal code (i.e. the zip) of the place you currently live in?"
	year := "1. What is your year of study?"
	const place = "2) Please select the province or territory you are located in to get such things"
	const mood = "3) Please select how you feel about the province you are located in at the moment"
	text := study(t, 600, "age#", zip+"=12345|12346", long+"=12345|12346", year+"=1|2|3",
		place+"=a|b|c", mood+"=x|y|z")
	if got := certain(t, text); !slices.Equal(got, []string{"age", zip, long, year, place}) {
		t.Errorf("known: %q:\n%s", got, text)
	}
}

// What means a fact only next to others is none alone.
func TestDraftKnowsNoColoursOfThings(t *testing.T) {
	text := study(t, 600, "price#", "colour=a|b|c", "location=a|b", "rank=1|2|3", "tenure#")
	if !strings.Contains(text, "# NO NAME SAYS ") {
		t.Errorf("drafted:\n%s", text)
	}
}

// People see when somebody came to a hospital or left it, and when somebody died, but not when a
// sample was taken.
func TestDraftKnowsDaysOfStays(t *testing.T) {
	days := "=2020-01-03|2020-01-09|2021-05-04|2021-06-06"
	text := study(t, 600, "age#", "Date of Admission"+days, "Discharge Date"+days,
		"date_of_death"+days, "sample_date"+days, "discharge_code=1|2|3", "vdate"+days)
	want := "[age, Date of Admission, Discharge Date, date_of_death, vdate]\n"
	if !strings.Contains(text, want) {
		t.Errorf("drafted:\n%s", text)
	}
}

// The news name the days on which somebody in a place became ill or well again, in tables of
// patients with places.
func TestDraftKnowsDaysOfCases(t *testing.T) {
	days := "=2020-01-03|2020-01-09|2021-05-04|2021-06-06"
	for _, tt := range []struct{ columns, want string }{
		{"age#;city=a|b|c;patient_type=x|y|z;symptom=1|2|3", "age city confirmed_date " +
			"released_date symptom_onset_date"},
		{"age#;patient_type=x|y|z;symptom=1|2|3", "age"},
		{"age#;city=a|b|c", "age city"},
	} {
		text := study(t, 600, append(strings.Split(tt.columns, ";"), "confirmed_date"+days,
			"released_date"+days, "symptom_onset_date"+days, "sample_date"+days,
			"released_code=1|2|3")...)
		checkCertain(t, text, tt.want)
	}
}

// Races are published with the time and the place of each runner.
func TestDraftKnowsResultsOfRaces(t *testing.T) {
	columns := []string{"age#", "Official_Time#", "Division#", "finish_time#", "hours#"}
	checkCertain(t, study(t, 600, append(columns, "5K#")...),
		"age Official_Time Division finish_time")
	checkCertain(t, study(t, 600, append(columns, "10km#")...),
		"age Official_Time Division finish_time")
	checkCertain(t, study(t, 600, append(columns, "steps#")...), "age")
}

// A weight next to a height is that of somebody, unless it says how many people a row stands for.
func TestDraftKnowsNoWeightsOfRows(t *testing.T) {
	for values, known := range map[string]bool{"48|61|73|77|94|102": true,
		"0.4|0.7|0.9|1.2|1.9": false, "800|1900|2300|9100": false} {
		for _, height := range []string{"height#", "height=5-9|5-10|6-1"} {
			text := study(t, 600, "age#", height, "dose#", "weight="+values)
			if got := strings.Contains(text, "[age, height, weight]\n"); got != known {
				t.Errorf("%s: known %t:\n%s", values, got, text)
			}
		}
	}
}

// A weight of some year, or of some visit, is one next to a height.
func TestDraftKnowsWeightsOfYears(t *testing.T) {
	text := study(t, 600, "age#", "ht#", "wt71=48|61|73|77|94|102", "wt82=48|61|73|77|94|103",
		"dose#")
	if !strings.Contains(text, "[age, ht, wt71, wt82]\n") {
		t.Errorf("drafted:\n%s", text)
	}
	text = study(t, 600, "age#", "height#", "Body mass index=19|24|31|27", "mass index of x=3|4|5",
		"dose#")
	if !strings.Contains(text, "[age, height, Body mass index]\n") {
		t.Errorf("drafted:\n%s", text)
	}
}

// Numbers of places have no order, in any form, and people know them; distances have one.
func TestDraftKnowsNumbersOfPlaces(t *testing.T) {
	text := study(t, 600, "age#", "dose#", "district_no=3|7|12", "regionno=1|2|9", "geoid2=4|8|9",
		"dist_code=2|5|6", "county_num=1|3|5", "census_tract=13.01|210|3.02", "commune=7|8|9",
		"township_id=2|4|7",
		"bplace=2|3|9",
		"dist=1|2|3")
	if want := "columns: [age, county_num, district_no, regionno, geoid2, dist_code, " +
		"census_tract, commune, township_id, bplace]\n"; !strings.Contains(text, want) {
		t.Errorf("want %s:\n%s", want, text)
	}
	for _, name := range strings.Fields("district_no regionno geoid2 dist_code county_num " +
		"census_tract commune township_id bplace") {
		if got := roleOfText(text, name); got != "suppress" {
			t.Errorf("%s: %s:\n%s", name, got, text)
		}
	}
	if got := roleOfText(text, "dist"); got != "discretize" {
		t.Errorf("dist: %s:\n%s", got, text)
	}
}

// A draft reads the questions behind the header of Qualtrics where names are only their numbers.
func TestDraftReadsQuestions(t *testing.T) {
	t.Chdir(t.TempDir())
	var out strings.Builder
	out.WriteString("QID1,QID2,QID3,tea\n" +
		"1. How old are you?,What is your gender?,Job stress,Sex\n" +
		strings.Repeat(`"{""ImportId"":""QID1""}",`, 3) + `"{""ImportId"":""QID4""}"` + "\n")
	for i := range 300 {
		fmt.Fprintf(&out, "%d,%s,%d,%d\n", 18+i%50, "ab"[i%2:][:1], i/50%5, i%7)
	}
	write(t, "survey.csv", out.String())
	text, err := draft.Job(t.Context(), draft.Options{Input: []string{"survey.csv"}}, sees(0, 1))
	if err != nil {
		t.Fatal(err)
	}
	checkCertain(t, text, "QID1 QID2")
}

// In the midst of more than twelve other columns of the same few numbers a column is an item,
// whatever its name: religion is the interest in it there. Other numbers and texts are facts, as
// are those behind the items, and what each questionnaire asks of people.
func TestDraftKnowsNoItems(t *testing.T) {
	const words = "=Never|Rarely|Sometimes|Often"
	text := study(t, 600, "age#", "Folk"+words, "Rock"+words, "Country"+words, "Jazz"+words,
		"Metal"+words, "religion=Often|Never|b|c")
	checkCertain(t, text, "age religion")
	const scale = "=1|2|3|4|5"
	items := func(from string, n int) (columns []string) {
		for i := range n {
			columns = append(columns, fmt.Sprintf("%s%c%s", from, 'a'+i, scale))
		}
		return columns
	}
	for _, n := range []int{7, 1} {
		columns := slices.Concat([]string{"Height=3|6|8|9"}, items("opera", n),
			[]string{"Country" + scale, "cars=0|1|2"},
			items("rats", n), []string{"education" + scale, "religion=a|b"},
			items("fear", 2), []string{"children" + scale}, items("hope", 2),
			[]string{"Heights" + scale}, items("joy", 1),
			[]string{"region" + scale, "married=1|2|3|4|5|6"})
		want := "Height cars education religion region married"
		if n == 1 {
			want += " Country Heights children"
		}
		text := study(t, 600, columns...)
		checkCertain(t, text, want)
		if got := roleOfText(text, "Country"); n == 7 && got != "discretize" {
			t.Errorf("Country: %s:\n%s", got, text)
		}
	}
}

// A question for somebody's own age is known, however it is put, but none for an opinion on one.
func TestDraftKnowsAgesAsked(t *testing.T) {
	for name, isKnown := range map[string]bool{"1. What age range do you fall in?": true,
		"What is your age?": true, "What age is best?": false} {
		text := study(t, 300, name+"=a|b|c", "sex=m|f")
		if strings.Contains(text, "# In doubt") == isKnown {
			t.Errorf("%s: known: %t\n%s", name, !isKnown, text)
		}
	}
}
