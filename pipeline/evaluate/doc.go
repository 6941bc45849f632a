// Package evaluate tells how useful releases are, before there is one: it masks training
// rows, masks test rows by the same rules, and counts how often classifiers that learn from the
// former are wrong about the latter.
//
//	Records ──deal──▶ training part ──search──▶ Recoding ──▶ features ──learn──▶ classifier
//	                  test part     ───────────────┘    ──▶ features ──────────────┘ ──▶ error
//
// Errors are named as in the papers (TDS, section 5): the baseline error BE is that on raw
// values, the upper error UE that without any quasi-identifier, the anonymity error AE that on
// masked values. Everything works on counts of distinct records.
package evaluate
