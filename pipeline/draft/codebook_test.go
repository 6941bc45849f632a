package draft_test

import (
	"strings"
	"testing"
)

// Names of codebooks of surveys are facts where a table has several that are no plain words; codes
// without an order are suppressed, and sums, opinions, weights and findings are no facts.
func TestDraftKnowsCodebooks(t *testing.T) {
	for survey, tt := range map[string]struct{ measured, nominal, others string }{
		"ACS": {"AGEP NP SCHL WKHP BDSP RMSP YBL", "RAC1P HISP MAR RELSHIPP OCCP COW ST POBP CIT " +
			"MIL TEN JWTRNS", "PINCP PWGTP OCPIP HICOV FS"},
		"IPUMS": {"AGE NCHLT5 FAMSIZE ELDCH SPEAKENG EDUCD BEDROOMS UHRSWORK", "RACED HISPAN " +
			"MARST RELATE BPL MBPL ANCESTR1 CITIZEN DEGFIELD CLASSWKR IND1990 STATEFIP METAREA " +
			"MIGPLAC1 OWNERSHP TRANWORK GQ", "INCTOT FTOTINC HHWT POVERTY HCOVANY"},
		"CPS": {"PRTAGE PEEDUCA PRNMCHLD HRNUMHOU PEHRUSL1", "PTDTRACE PEMARITL PERRP PENATVTY " +
			"PRCITSHP PRDTOCC1 PEIO1COW GESTFIPS HETENURE", "HEFAMINC PWSSWGT PTERNWA"},
		"GSS": {"agekdbrn paeduc spdeg granborn hompop earnrs prestg10", "racecen1 marital " +
			"wrkstat indus10 reg16 res16 xnorcsiz srcbelt " +
			"denom16", "polviews natenvir wtssall income16"},
		"Pew": {"F_AGECAT hh1 hh3 F_EDUCCAT2", "usr F_CREGION emplnw F_RACETHNMOD racem1 partyln " +
			"F_PARTYSUM_FINAL", "F_IDEO F_INC_SDT1 ql1 cellweight"},
		"ANES": {"V201507x V201511x VCF0101", "V201508 V201549x V203003 VCF0105a VCF0147",
			"V201200 V201617x VCF0114"},
		"NLSY": {"hgcrev famsz numch nlivsib magebirth", "smsares regionres ind70 livwith14 " +
			"rel79 esr_col", "afqt rosenberg tnfi"},
		"HRS": {"RABYEAR R1AGEY_E H1CHILD RAEDYRS R1HEIGHT R1JHOURS", "RARACEM R1MSTAT R1URBRUR " +
			"R1CENREG R1JCOCC", "R1SHLT R1CESD H1ITOT R1WTRESP"},
		"NHANES": {"RIDAGEMN DMDYRSUS DMDHRAGE DMDHREDU WHD010", "DMDBORN4 DMDHRMAR HOQ065 " +
			"OCQ260 SMQ040", "BPXSY1 LBXTC WTMEC2YR DPQ010 INDFMPIR"},
		"NHIS": {"AGE_P EDUC1 FM_KIDS PCNTKIDS_A AHEIGHT", "RACERPI2 HISPALLP_A R_MARITL GEOBRTH " +
			"DOINGLWA PARSTAT_A", "PHSTAT WTFA_A RAT_CAT5 ASASEV"},
		"DHS": {"v012 v106 v133 v201 hv105 mv106 b8", "v024 v130 v131 v501 v717 hv115 mv130",
			"v005 v190 v312 v437 hw70"},
		"MICS": {"HL6 WB4 CEB CM8 helevel", "HH7 MA1 MSTATUS HC1A", "windex5 wmweight HAZ2 LS3"},
		"WVS": {"Q262 Q270 Q274 Q275 X003", "Q266 Q273 Q279 Q289 X028 S003", "Q46 Q49 W_WEIGHT " +
			"E033 F118"},
		"ESS": {"agea yrbrn hhmmb eduyrs edulvlb nbthcld", "rshpsts marsts rlgdnm mnactic nacer2 " +
			"isco08 anctry1", "trstprl lrscale stflife dweight hinctnta"},
		"EU-SILC": {"RB080 RX010 PE040 PL060 HH030", "PB190 PL031 PL051 HX060 DB040", "HY020 " +
			"PH010 RB050 HS120"},
		"SOEP": {"gebjahr pgexpft pgbilzeit hhgr pgisced97", "pgfamstd pgnation pgemplst pgstib " +
			"pgisco08 hgtyp1hh bula_h", "pglabgro plh0182 phrf ple0008"},
		"Understanding Society": {"a_dvage a_birthy a_nkids_dv a_hsrooms a_hiqual_dv",
			"a_mastat_dv a_racel_dv a_jbstat a_jbsoc00_cc a_gor_dv a_oprlg1",
			"a_fimngrs_dv a_sf1 a_sclfsato a_indinus_xw"},
		"PISA": {"ST001D01T MISCED HISEI PARED DURECEC", "COBN_S OCOD1 IMMIG PROGN " +
			"CNTRYID", "PV1MATH ESCS W_FSTUWT JOYREAD"},
		"TIMSS": {"BSDAGE ITBIRTHY IDGRADE BSBG04", "ITSEX IDCNTRY IDSCHOOL BSBG03 BCBG05B",
			"BSMMAT01 TOTWGT BSBM16A"},
		"ECLS": {"X1PAR1AGE X1PAR1ED_I X1HTOTAL X1HEIGHT", "X_RACETH_R X1PAR1EMP X1PAR1OCC_I " +
			"X1HPARNT X12LANGST", "X1RTHETK X1MTHETK W1C0 X1TCHCON X1SESL_I"},
		"SHARE": {"yrbirth dn003_ ngrchild isced1997 yedu", "dn014_ mstat cjs ep005_ nuts1",
			"sphus maxgrip thinc cciw_w8"},
		"CES": {"birthyr child18num pew_religimp", "inputstate religpew urbancity immstat " +
			"industryclass", "pid7 ideo5 faminc_new commonweight newsint"},
		"PSID": {"agehd edhd numfu ageyngch", "racehd marhd empst occhd rel2head", "faminc " +
			"wealth1 longwt"},
		"CDISC": {"HEIGHTBL WEIGHTBL BMIBL EDUCLVL", "INVID RACEN SITEGR1 AGEGR1", "CUMDOSE " +
			"AVISITN STRATAR MMSETOT"},
		"no survey": {"", "", "NP TEN MIL HISEI v012 CEB numfu PROGN DIVISION"},
	} {
		columns, known := []string{"sex=m|f"}, []string{"sex"}
		var nominal []string
		add := func(names, values string, isKnown bool) {
			for _, name := range strings.Fields(names) {
				name, _, _ = strings.Cut(name, "=")
				columns = append(columns, name+values)
				if isKnown {
					known = append(known, name)
				}
			}
		}
		add(tt.measured, "=12|13|14|15|16", true)
		add(tt.nominal, "=1|2|7|9", true)
		add(tt.others, "=20|31|57|62|88", false)
		for _, name := range strings.Fields(tt.nominal) {
			name, _, _ = strings.Cut(name, "=")
			nominal = append(nominal, name)
		}
		text := study(t, 900, columns...)
		t.Log(survey)
		checkCertain(t, text, strings.Join(known, " "))
		for _, name := range nominal {
			if got := roleOfText(text, name); got != "suppress" {
				t.Errorf("%s: %s: %s, want suppress", survey, name, got)
			}
		}
	}
}
