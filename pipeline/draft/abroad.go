package draft

import (
	"cmp"
	"slices"
	"strings"
)

// abroad are words of column names in Spanish, Portuguese, French, Italian, German and Dutch,
// without accents, behind the English word that takes their place: all rules know English ones. A
// word with - is the beginning of words, one with = counts only as a whole name, as it means
// something else in English or in another language.
var abroad = [][2]string{
	// birth, age, sex
	{"birth", "nacimiento nascimento nasc fnac fecnac naissance nascita geburtsdatum geburtsjahr " +
		"geburtstag geburtsmonat gebdatum gebdat gebjahr gbdatum geboortedatum geboortejaar"},
	{"birthplace", "lugarnacimiento localnascimento naturalidade lieunaissance luogonascita " +
		"geburtsort geburtsland geboorteplaats geboorteland"},
	{"age", "edad idade etaria =eta =alter lebensalter altersgruppe leeftijd"},
	{"sex", "sexo sexe sesso geschlecht geslacht"},
	{"gender", "genero"},
	// place
	{"country", "pais =pays paese"},
	{"province", "departamento departement provincia provincie bundesland"},
	{"state", "=uf sguf entidad entidadfederativa"},
	{"region", "regiao regione"},
	{"district", "distrito landkreis =kreis"},
	{"municipality", "municip- codmun codmunres comuna comune gemeinde gemeente"},
	{"city", "ciudad cidade citta =ville stadt woonplaats"},
	{"residence", "residencia residenza wohn-"},
	{"neighbourhood", "barrio bairro quartier stadtteil wijk =colonia"},
	{"locality", "localidad localidade localita"},
	{"postal", "=cep codigopostal codepostal postleitzahl"},
	// origin, family, schooling
	{"nationality", "nacional- nationalite nationalitaet nationalitat nazionalita nationaliteit " +
		"staatsangeh- cittadinanza ciudadania"},
	{"race", "raza raca racacor =cor =cutis hautfarbe"},
	{"ethnicity", "etnia etnico etnica ethnie"},
	{"indigenous", "indigena"},
	{"migrant", "migrante migrationshintergrund gastarb-"},
	{"religion", "religiao religione konfession godsdienst"},
	{"language", "lengua idioma langue sprache muttersprache"},
	{"marital", "estadocivil etatcivil statocivile conyugal conjugal familienstand famstand " +
		"zivilstand situationfamiliale burgerlijkestaat estciv"},
	{"married", "casado casada verheiratet"},
	{"siblings", "hermanos irmaos freres soeurs geschwister fratelli"},
	{"children", "hijos filhos enfants figli =kinder kinderen kinderzahl anzahlkinder"},
	{"household", "hogar agregadofamiliar menage haushalt- huishoud-"},
	{"dwelling", "vivienda moradia logement abitazione"},
	{"educ", "escolar- escol estudios estudos instruccion instrucao niveleducativo etudes " +
		"diplome bildung- schulbildung ausbildung- schulabschluss istruzione opleiding- " +
		"titolodistudio etud nivetud"},
	{"school", "escuela escola colegio ecole schule scuola"},
	{"university", "universidad universidade universite universitat universitaet universiteit"},
	// work
	{"profession", "profesion profissao profissional beruf metier beroep professione oficio"},
	{"occupation", "ocupacion ocupacao ocup =csp"},
	{"employment", "empleo emprego erwerbs- beschaeftigung emploi"},
	{"employer", "empleador empregador arbeitgeber employeur werkgever"},
	{"position", "puesto =cargo"},
	{"seniority", "antiguedad antiguidade anciennete"},
	{"company", "empresa unternehmen entreprise azienda bedrijf"},
	{"work", "trabajo trabalho arbeit lavoro"},
	// body
	{"height", "estatura altura talla =taille koerpergroesse korpergrosse"},
	{"weight", "=peso poids gewicht"},
	{"smoke", "fuma- fumeur tabaquismo tabagismo tabac raucher rauchen roker"},
	{"disability", "discap- deficiencia behinder- invalidite disabilita"},
	{"pregnant", "embaraz- gestante gestant gravidez =enceinte schwanger- zwanger"},
	// days and times
	{"date", "fecha datum"},
	{"timestamp", "zeitstempel horodateur"},
	{"year", "ano anio annee jahr anno jaar"},
	{"years", "anos anios annees jahre anni jaren"},
	{"month", "mes mois monat mese maand"},
	{"hours", "horas heures stunden uren"},
	{"death", "muerte fechadef defuncion fallecimiento obito deces todesdatum " +
		"sterbedatum overlijden"},
	{"admission", "fechaingreso hospitalizacion internacion internacao"},
	{"discharge", "fechaalta fechaegreso"},
	// people, and what identifies them
	{"patient", "paciente paziente"},
	{"person", "persona pessoa personne"},
	{"customer", "cliente kunde klant"},
	{"employee", "empleado funcionario trabajador salarie mitarbeiter dipendente medewerker"},
	{"student", "estudiante estudante alumno aluno eleve etudiant"},
	{"user", "usuario utente utilisateur"},
	{"name", "=nombre =nombres =nome =nom =naam"},
	{"fullname", "nombrecompleto nomecompleto nombreapellido"},
	{"firstname", "vorname prenom primernombre voornaam"},
	{"surname", "apellido apellidos nachname familienname sobrenome cognome achternaam"},
	{"ssn", "cedula dni =rut rfc codicefiscale =bsn numerodocumento nrodocumento"},
	{"address", "direccion endereco logradouro =adresse =adres indirizzo anschrift"},
	{"street", "=calle =rua =rue strasse straat"},
	{"phone", "telef- celular"},
	{"email", "correo courriel"},
	// what few know: amounts, health, opinions, and what came of somebody
	{"income", "ingresos renda ingresomensual einkommen =revenu reddito inkomen"},
	{"salary", "salario sueldo salaire gehalt stipendio"},
	{"amount", "monto montant betrag importo"},
	{"price", "precio preco prix preis prezzo"},
	{"payment", "pago pagamento zahlung"},
	{"purchase", "compra compras achat achats kauf"},
	{"product", "producto produto produit produkt prodotto"},
	{"account", "cuenta konto"},
	{"credit", "credito kredit"},
	{"loan", "prestamo emprestimo darlehen"},
	{"hospital", "hopital krankenhaus ospedale ziekenhuis"},
	{"disease", "enfermedad doenca maladie krankheit malattia ziekte"},
	{"symptoms", "sintoma sintomas symptome sintomi"},
	{"hired", "contratado contratada embauche eingestellt"},
	{"treatment", "tratamiento tratamento traitement behandlung"},
	{"result", "resultado resultados resultat ergebnis risultato"},
	{"severity", "gravedad gravidade"},
	{"satisfaction", "satisfaccion satisfacao satisf zufriedenheit soddisfazione tevredenheid"},
	{"attrition", "renuncia"},
	{"type", "tipo"},
	{"code", "codigo codice"},
	{"number", "numero nummer"},
	{"class", "clase"},
	{"diagnosis", "diagnostico diagnosi"},
}

// ofAbroad have the English word of each word of another language: in any name, as a whole name,
// and by its beginning.
var ofAbroad, wholeAbroad, beginsAbroad = func() (in, whole, begins map[string]string) {
	in, whole, begins = map[string]string{}, map[string]string{}, map[string]string{}
	for _, line := range abroad {
		for _, word := range strings.Fields(line[1]) {
			begin, isBegin := strings.CutSuffix(word, "-")
			alone, isWhole := strings.CutPrefix(word, "=")
			switch {
			case isBegin:
				begins[begin] = line[0]
			case isWhole:
				whole[alone] = line[0]
			default:
				in[word] = line[0]
			}
		}
	}
	return in, whole, begins
}()

// particles are words between others in such names, as in fecha de nacimiento.
var particles = strings.Fields("de del da do di du des der van la el los las le les")

// fewestOfStem is the least number of characters of a beginning of words.
const fewestOfStem = 4

// inEnglish replaces words of other languages, one or two together, by English ones.
func inEnglish(name []string) []string {
	if word, found := wholeAbroad[strings.Join(name, "")]; found {
		return []string{word}
	}
	rest := slices.DeleteFunc(slices.Clone(name), func(word string) bool {
		return slices.Contains(particles, word)
	})
	var english []string
	isAbroad := false
	for i := 0; i < len(rest); i++ {
		if i+1 < len(rest) {
			if word, found := ofAbroad[rest[i]+rest[i+1]]; found {
				english, isAbroad = append(english, word), true
				i++
				continue
			}
		}
		word := wordAbroad(rest[i])
		isAbroad = isAbroad || word != ""
		english = append(english, cmp.Or(word, rest[i]))
	}
	if !isAbroad {
		return name
	}
	return english
}

// wordAbroad returns the English word for a word of another language, or "".
func wordAbroad(word string) string {
	if english, found := ofAbroad[word]; found {
		return english
	}
	for n := fewestOfStem; n <= len(word); n++ {
		if english, found := beginsAbroad[word[:n]]; found {
			return english
		}
	}
	return ""
}

// plainLetters are letters with accents and the letters without.
var plainLetters = strings.NewReplacer("á", "a", "à", "a", "â", "a", "ã", "a", "ä", "a", "å", "a",
	"ç", "c", "é", "e", "è", "e", "ê", "e", "ë", "e", "í", "i", "ì", "i", "î", "i", "ï", "i",
	"ñ", "n", "ó", "o", "ò", "o", "ô", "o", "õ", "o", "ö", "o", "ú", "u", "ù", "u", "û", "u",
	"ü", "u", "ß", "ss", "\u0300", "", "\u0301", "", "\u0302", "", "\u0303", "", "\u0308", "",
	"\u0327", "")
