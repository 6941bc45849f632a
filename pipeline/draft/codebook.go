package draft

import (
	"regexp"
	"slices"
	"strings"
)

// codebook has the names, in small letters, that one survey gives to facts that people know. Many
// are short, and mean something else elsewhere: they are facts in a table with several of them.
type codebook struct {
	measured []string       // numbers and kinds with an order
	nominal  []string       // codes without one
	before   *regexp.Regexp // matches the beginning in front of each name; nil: none
	after    *regexp.Regexp // matches an ending that a name may have; nil: none
}

// fewestOfCodebook is the least number of names of one codebook in a table of its survey that are
// no plain words.
const fewestOfCodebook = 4

// plainWords are names in codebooks that many other tables have.
var plainWords = strings.Fields("weight bmi control density rooms bedrooms farm child work size " +
	"attend pray fund grade repeat stratum partner region city country cohort mode home type2 " +
	"ind division reg age sex gender race employ union trans phone")

// codebooks are those of public surveys of people.
var codebooks = []codebook{{ // ACS, with person and housing records of PUMS
	measured: strings.Fields("agep marhyp np noc nrc npf schl schg eng wkhp wkw wkwn yoep decade " +
		"vps drat veh bdsp rmsp ybl yrblt jwmnp jwrip jwdp jwap marht r18 r65 hupac fer gcl gcr " +
		"gcm dis dear deye drem dphy ddrs dout"),
	nominal: strings.Fields("sex rac1p rac2p rac3p racnum hisp mar hht hht2 hhl relp relshipp " +
		"sch fod1p fod2p sciengp occp socp indp naicsp cow esr st puma region division pobp " +
		"nativity cit lanp lanx anc1p anc2p anc waob mig migsp migpuma mil ten bld jwtr jwtrns " +
		"powsp powpuma multg partner nr qtrbir nop sfn msp oc"),
}, { // IPUMS
	measured: strings.Fields("age birthyr birthqtr birthmo nchild nchlt5 famsize nsibs numprec " +
		"nfams ncouples nmothers nfathers eldch yngch yrimmig yrsusa1 yrsusa2 speakeng educ " +
		"educd edattain edattaind yrschool higrade higraded gradeatt gradeattd marrno yrmarr " +
		"bedrooms rooms builtyr builtyr2 trantime vehicles density uhrswork ahrsworkt wkswork1 " +
		"wkswork2 durmarr agemarr chborn chsurv diffrem diffphys diffmob diffcare diffsens " +
		"diffeye diffhear literacy citypop urban"),
	nominal: strings.Fields("sex race raced hispan hispand marst marstd relate related bpl bpld " +
		"mbpl mbpld fbpl fbpld ancestr1 ancestr1d ancestr2 ancestr2d citizen nativity language " +
		"languaged school schltype degfield degfieldd degfield2 empstat empstatd labforce " +
		"classwkr classwkrd occ occ1950 occ1990 occ2010 occsoc isco88a ind ind1950 ind1990 " +
		"indnaics indgen statefip stateicp countyicp countyfip countyfips metro metarea metaread " +
		"met2013 city puma region migrate1 migrate1d migplac1 migpuma migpuma1 vetstat vetstatd " +
		"vetdisab disabwrk ownershp ownershpd unitsstr tranwork pwstate2 pwpuma pwcounty pwmetro " +
		"multgen multgend gq gqtype gqtyped divinyr widinyr marrinyr fertyr farm ssmc hhtype " +
		"geolev1 geolev2 tribe tribed schlcoll wkstat popstat nativity asian"),
}, { // CPS
	measured: strings.Fields("prtage age a_age a_hga peeduca a_hrs1 pehrusl1 pehractt prnmchld " +
		"hrnumhou h_numper prunedur prinusyr gtcbsasz prinuyer"),
	nominal: strings.Fields("sex a_sex a_maritl a_famrel a_clswkr a_mjind a_mjocc a_unmem " +
		"a_enrlw a_vet a_hscol pesex ptdtrace prdtrace pehspnon prdthsp pemaritl prmarsta perrp " +
		"pefamrel penatvty pemntvty pefntvty prcitshp peafever peafnow prdtocc1 prdtind1 " +
		"prmjind1 prmjocc1 peio1cow peio1icd peio1ocd pemlr prempnot gestfips gereg gtcbsa gtco " +
		"gtmetsta gediv hetenure hehousut peernlab peernuni h_tenure migsame p_stat pedisdrs " +
		"pediseye pedisear pedisphy pedisout pedisrem hrhtype h_type peinusyr"),
}, { // GSS
	measured: strings.Fields("age cohort childs sibs agekdbrn agewed educ paeduc maeduc speduc " +
		"degree padeg madeg spdeg prestg10 prestg80 papres10 sei10 granborn parborn hompop " +
		"babies preteen teens adults earnrs unrelat height weight hrs1 hrs2 sphrs1 attend " +
		"incom16 fund reliten vetyears size"),
	nominal: strings.Fields("sex race racecen1 hispanic marital divorce widowed major1 wrkstat " +
		"evwork occ10 occ80 indus10 indus80 wrkslf wrkgovt spwrksta spwrkslf paocc10 maocc10 " +
		"pawrkslf born ethnic eth1 eth2 reg16 mobile16 family16 res16 region xnorcsiz srcbelt " +
		"relig denom relig16 denom16 sprel union dwelling dwelown relhhd1 hhtype hhtype1 zodiac " +
		"uscitzn sexornt"),
}, { // Pew: telephone surveys, and the panel, whose names begin with F_
	before: regexp.MustCompile(`^(f_)?`),
	after:  regexp.MustCompile(`(_(final|recruitment|typology|recode))+$`),
	measured: strings.Fields("age agecat agegrp recage educ educ2 educcat educcat2 receduc hh1 " +
		"hh3 adults yearsinus attend attendper usr_selfid"),
	nominal: strings.Fields("sex gender cregion cdivision state metro usr marital mstatus par " +
		"parent emplnw empl employ employ2 disa hisp hisp_origin birth_hisp race3m1 race3m2 " +
		"race3m3 racem1 racem2 racem3 racem4 racecmb racethn racethnmod birthplace birthplace2 " +
		"nativity citizen citizen2 relig religcat religcat1 born chr party partyln partysum"),
}, { // ANES of 2016 and 2020, and the cumulative file
	measured: strings.Fields("v161267 v161270 v161324 v201507x v201510 v201511x v201567 v203103 " +
		"vcf0101 vcf0102 vcf0110 vcf0111 vcf0138 vcf0140 vcf0140a"),
	nominal: strings.Fields("v161268 v161310x v161342 v161277 v161247a v163001a v163003 v201508 " +
		"v201435 v201458x v201529 v201533x v201549x v201600 v201601 v203001 v203003 v202637 " +
		"vcf0104 vcf0105a vcf0105b vcf0106 vcf0108 vcf0112 vcf0113 vcf0115 vcf0116 vcf0118 " +
		"vcf0127 vcf0128 vcf0129 vcf0143 vcf0146 vcf0147 vcf0901a vcf0901b"),
}, { // NLSY, and tables that are drawn from it
	measured: strings.Fields("age hgc hgcrev hgcm hgcf famsz numkid numch nummar numsibs nlivsib " +
		"agebirth1 magebirth jobsnum urb14 height81 weight81"),
	nominal: strings.Fields("key_sex key_race_ethnicity key_bdate_m key_bdate_y sample_race " +
		"sample_sex smsares regionres enrollmtrev esr_key esr_col ind70 occ70 liv14 livwith14 " +
		"momwork14 south14 libcrd14 mag14 news14 relraised rel79 forborn marstat_key marstat_col"),
}, { // HRS, in the version of RAND: R1AGEY_E of the first wave
	before: regexp.MustCompile(`^(ra|[rshw]\d{1,2}|[rsh]a?)`),
	measured: strings.Fields("agey_e agey_b agey_m agem_e byear bmonth dyear dmonth edyrs educ " +
		"meduc feduc mrct child hhres livsib jhours jcten height pmhght weight pmwght bmi retyr " +
		"livbro"),
	nominal: strings.Fields("gender racem hispan relig bplace bplacf vetrn mstat mstath mstatf " +
		"mpart mnev urbrur cenreg cendiv work lbrf jcocc jcocca jcoccb jcind jcindb slfemp union " +
		"inlbrf smokev smoken drink momliv dadliv retemp sayret"),
}, { // NHANES, of the household's reference person and later years
	measured: strings.Fields("ridageyr ridagemn dmdyrsus dmdyrusz dmdyrusr dmdeduc2 dmdeduc3 " +
		"dmdhhsza dmdhhszb dmdhhsze dmdhrage dmdhragz dmdhredu dmdhredz dmdhsedu dmdhsedz hod050 " +
		"ocq180 smd030 whd010 whd020 bmxwt bmxht bmxbmi"),
	nominal: strings.Fields("riagendr ridreth1 ridreth2 ridreth3 dmdborn dmdborn2 dmdborn4 " +
		"dmdcitzn dmdmartl dmdmartz ridexprg dmdhrgnd dmdhrbr4 dmdhrmar dmdhrmaz dmqadfc " +
		"dmqmiliz sialang fialang hoq065 ocd150 ocq260 smq020 smq040 rhq131 rhd143 dmaracer"),
}, { // NHIS
	after: regexp.MustCompile(`_(a|c|p)$`),
	measured: strings.Fields("age age_p agep educ1 educ educp maxeduc fm_size fm_kids fm_eldr " +
		"pcntkids pcntadlt yrsinus empwrkhrs wrkhrs2 aheight heighttc aweightp weightlbtc bmi " +
		"ychld"),
	nominal: strings.Fields("sex racerpi2 raceall raceallp hispallp hisp hispan_i mracrpi2 " +
		"mracbpi2 origin_i r_maritl marital region urbrrl fm_type fm_strcp regionbr geobrth " +
		"plborn citizenp natusborn doinglwa doinglwp emplastwk emdoccupn1 emdindstrn1 occupn1 " +
		"indstrn1 armfver afvet smkstat2 smkev smkcigst smknow houseown houtenure livingqt lang " +
		"parstat spousliv orient pregnow spousep marstat legmstat"),
}, { // DHS: of women, men (m), households (h) and children
	before: regexp.MustCompile(`^m?`),
	measured: strings.Fields("v009 v010 v012 v013 v106 v107 v133 v136 v137 v138 v149 v201 v202 " +
		"v203 v204 v205 v206 v207 v212 v218 v511 v512 v701 v715 v730 hv009 hv010 hv011 hv014 " +
		"hv105 hv106 hv107 hv108 hv109 hv216 hv220 b1 b2 b8 bord v447a"),
	nominal: strings.Fields("v024 v025 v026 v101 v102 v130 v131 v140 v150 v151 v213 v228 v401 " +
		"v501 v502 v504 v505 v704 v705 v714 v716 v717 v719 v731 hv024 hv025 hv101 hv104 hv115 " +
		"hv219 b0 b4 b5 shdistrict sdist"),
}, { // MICS
	measured: strings.Fields("hl6 wb3y wb3m wb4 wage mwage cage cdoi ceb csurv cm8 cm11 ma6y " +
		"hh48 hh49 hhage hhagex welevel mwelevel helevel melevel felevel"),
	nominal: strings.Fields("hh6 hh7 hl3 hl4 wb5 ma1 mstatus mmstatus hc1a hc1b hc2 hhsex " +
		"ethnicity religion"),
}, { // WVS, in the names of the last rounds and of the integrated file, and EVS
	measured: strings.Fields("q261 q262 q270 q274 q275 q275r q277 q278 x002 x003 x003r x003r2 " +
		"x011 x023 x023r x025 x025r x025a x049 v242 v241 v248 g_townsize"),
	nominal: strings.Fields("q260 v2 q263 q264 q265 q266 q267 q268 q269 q271 q272 q273 q279 q280 " +
		"q281 q284 q289 q290 x001 x007 x026 x028 x035 x036 x048wvs x048isocode x051 f025 s003 " +
		"v240 v57 v144 v229 v230 cow_num cow_alpha b_country b_country_alpha h_urbrural " +
		"h_settlement n_region_iso n_region_wvs lnge_iso lnge_num g027a"),
}, { // ESS
	measured: strings.Fields("agea yrbrn hhmmb eduyrs eisced edulvla edulvlb eiscedp eiscedf " +
		"eiscedm livecnta pdjobyr emplno estsz njbspv wkhct wkhtot cgtsday cgtsmok nbthcld " +
		"fcldbrn maryr lvgptnea dvryr domicil rlgatnd pray height weighta"),
	nominal: strings.Fields("cntry gndr gndr2 rshipa2 rshpsts marsts marital maritala maritalb " +
		"chldhm chldhhe brncntr cntbrth cntbrtha cntbrthb cntbrthc cntbrthd ctzcntr ctzship " +
		"ctzshipa ctzshipb ctzshipc ctzshipd lnghom1 lnghom2 lnghoma lnghomb blgetmg facntr " +
		"fbrncnt fbrncnta fbrncntb mocntr mbrncnt mbrncnta mbrncntb rlgblg rlgblge rlgdnm " +
		"rlgdnbat rlgdnme pdwrk edctn uempla uempli rtrd dsbld hswrk cmsrv mnactic mnactp pdwrkp " +
		"crpdwk pdjobev emplrel wrkctra jbspv nacer1 nacer11 nacer2 tporgwk isco08 isco08p " +
		"iscoco uemp3m mbtru partner icpart1 edlvdgb edulvlpb edulvlfb edulvlmb emprf14 emprm14 " +
		"occf14b occm14b anctry1 anctry2 region regunit bthcld dvrcdeva dvrcdev jbtrm"),
}, { // EU-SILC
	measured: strings.Fields("rb070 rb080 rx010 rx020 pb130 pb140 px020 pe030 pe040 pe041 pl060 " +
		"pl190 pl200 hh030 hx040 hh021 db100"),
	nominal: strings.Fields("rb090 rb210 rb240 pb150 pb190 pb200 pb210 pb220a pe010 pl030 pl031 " +
		"pl032 pl040 pl040a pl050 pl051 pl051a pl111 pl111a pl130 pl140 pl141 pl150 db020 db040 " +
		"hh010 hx060 hb110 hb120 hs110"),
}, { // SOEP
	measured: strings.Fields("gebjahr gebmonat geburt immiyear todjahr pgerwzeit pgexpft pgexppt " +
		"pgexpue pgvebzeit pgtatzeit pgbilzeit pgbetr hhgr hgroom hgsize hgcnstyrmin hgcnstyrmax " +
		"sumkids gkpol kinder anzkind alter pgisced97 pgisced11 pgcasmin"),
	nominal: strings.Fields("geschl sex birthregion germborn corigin migback miginfo arefback " +
		"pgfamstd pgpartz pgnation pgemplst pgstib pgisco88 pgisco08 pgklas pgnace pgoeffd " +
		"pgallbet pgpsbil pgpbbil01 pgpbbil02 hgtyp1hh hgowner bula bula_h nuts1 regtyp loc1989 " +
		"sampreg famstd staatsang erwerb"),
}, { // Understanding Society and BHPS: a_age_dv of the first wave
	before: regexp.MustCompile(`^b?[a-z]_`),
	after:  regexp.MustCompile(`(_dv|_cc|_bh)+$`),
	measured: strings.Fields("age age_cr dvage birthy birthm doby dobm hhsize nchild nkids nch02 " +
		"nch34 nch511 nch1215 nchunder16 yr2uk4 jbhrs jbsize hsrooms hsbeds ncars hiqual qfhigh " +
		"maedqf paedqf"),
	nominal: strings.Fields("sex mastat marstat racel ethn plbornc ukborn hhtype jbstat jbsoc00 " +
		"jbsoc10 jbsic07 jbnssec8 jbnssec5 jbnssec3 jbft jbsemp jbmngr jbterm1 tujbpl tenure " +
		"hsownd gor urban country livesp cohab depchl oprlg1 oprlg nirel masoc00 masoc10 pasoc00 " +
		"pasoc10 carown caruse smoker smever disdif96 citzn1 natid1 region sexuor"),
}, { // PISA
	measured: strings.Fields("age grade st001d01t st003d02t st003d03t st005q01ta st007q01ta " +
		"st013q01ta st021q01ta misced fisced hisced pared paredint bmmj1 bfmj2 hisei isceddl " +
		"iscedl durecec st01q01 st03q01 st03q02 st28q01 repeat"),
	nominal: strings.Fields("cnt cntryid cntschid stratum region oecd st004d01t st04q01 " +
		"st022q01ta st019aq01t st019bq01t st019cq01t ocod1 ocod2 immig langn cobn_s cobn_m " +
		"cobn_f iscedd iscedo progn subnatio schoolid"),
}, { // TIMSS and PIRLS
	measured: strings.Fields("bsdage asdage itbirthm itbirthy idgrade idgrader bsdgedup asdhedup " +
		"bsbg04 asbg04 bsbg07a bsbg07b bcbg05a"),
	nominal: strings.Fields("itsex idcntry idschool idclass idteach bsbg01 asbg01 bsbg03 asbg03 " +
		"bsbg10a bsbg10b bsbg09a bsbg09b bsbgbrn1 bcbg05b"),
}, { // ECLS, ELS, HSLS and NELS
	before: regexp.MustCompile(`^(by|f[1-4]|x_|cs_|[xpcswkft]\d{1,2}|wk|k)`),
	after:  regexp.MustCompile(`(_r|_i|_p)$`),
	measured: strings.Fields("kage agent ageent par1age par2age hmage hdage par1ed par2ed pared " +
		"mothed fathed mompared momedu dadedu paredu parededu daded momed htotal numsib less18 " +
		"hhnumber dob bmi height weight locale urban grade"),
	nominal: strings.Fields("chsex sex gender raceth race hispanic par1emp par2emp par1occ " +
		"par2occ occm occf par1rac hparnt hfamil fcomp langst stlang nativelang homelang region " +
		"creg cregion pubpri sctyp type2 sctrl control chdisabl firkdg primpk urban_r type2 " +
		"cs_type2 occmoth occfath"),
}, { // SHARE
	measured: strings.Fields("yrbirth mobirth age age_int dn002_ dn003_ hhsize nchild ch001_ " +
		"ngrchild isced isced1997 yedu yedu_p areabldg iv009_ yr_country siblings_alive sib " +
		"height weight bmi"),
	nominal: strings.Fields("gender female country dn004_ dn014_ dn042_ mstat marstat " +
		"partnerinhh cjs ep005_ pwork br001_ nuts1 nuts2_base language citizenship"),
}, { // CES
	measured: strings.Fields("birthyr child18num numchildren citylength_1 pew_churatd " +
		"pew_religimp"),
	nominal: strings.Fields("gender gender4 race hispanic inputstate inputzip countyfips cdid " +
		"cdid113 cdid115 region urbancity employ marstat child18 religpew religpew_protestant " +
		"pew_bornagain ownhome milstat_1 milstat_2 milstat_3 milstat_4 milstat_5 union unionhh " +
		"immstat sexuality transgender trans dualcit industryclass occupationcat hadjob " +
		"internethome phone"),
}, { // PSID
	measured: strings.Fields("agehd agewf age_head agewife edhd edwf educhd numfu nchild " +
		"ageyngch nrooms hrswrkd nummarr yrfirstmar yrmoved"),
	nominal: strings.Fields("sexhd racehd racewf mard marhd statecode fipsst beale metrohd " +
		"hometype empst emphd unionhd occhd indhd selfemphd religionhd relhd vethd rel2head " +
		"seqnum"),
}, { // trials in the names of CDISC
	measured: strings.Fields("age agegr1n agegr2n heightbl weightbl bmibl educlvl brthdtc dthdt " +
		"dthdtc rfstdtc rficdtc rfxstdtc trtsdt randdt"),
	nominal: strings.Fields("agegr1 sex sexn race racen ethnic ethnicn country siteid sitegr1 " +
		"invid region1 region1n dthfl wocbpfl childpot"),
}}

// nameOf returns a column's name in the codebook, without the wave or the relative that it is
// about; "": it has none.
func (c *codebook) nameOf(column string) string {
	name := strings.ToLower(column)
	if c.before != nil {
		in := c.before.FindString(name)
		if in == "" && !c.before.MatchString(name) {
			return ""
		}
		name = name[len(in):]
	}
	if c.after != nil && !c.has(name) {
		name = c.after.ReplaceAllString(name, "")
	}
	if !c.has(name) {
		return ""
	}
	return name
}

// has reports whether a codebook has a name.
func (c *codebook) has(name string) bool {
	return slices.Contains(c.nominal, name) || slices.Contains(c.measured, name)
}

// findCodebooks finds the facts of surveys.
func findCodebooks(profiles []*Profile) {
	for i := range codebooks {
		c := &codebooks[i]
		met := make(map[string]bool)
		for _, p := range profiles {
			if name := c.nameOf(p.name); name != "" &&
				(!isFact(p.words) || ofSurveys.has(p.words)) &&
				!slices.Contains(plainWords, strings.ToLower(p.name)) {
				met[name] = true
			}
		}
		if len(met) < fewestOfCodebook {
			continue
		}
		for _, p := range profiles {
			if name := c.nameOf(p.name); name != "" {
				p.fact = true
				p.isNominal = p.isNominal || slices.Contains(c.nominal, name)
			}
		}
	}
}
