// Package classify trains classifiers on counts of coded tuples, to tell how useful a
// release is to those who will train theirs.
//
//	Data: tuple × class → count ──Learner──▶ Classifier ──tuple──▶ class
//
// Three that differ in kind: a decision tree by the rules of C4.5 (package induce), naive
// Bayes as Weka's NaiveBayes has it, and logistic regression. All see the counts of distinct
// tuples alone, so that what they learn does not depend on the rows' order, and what they
// cost goes by the distinct tuples.
//
// The last code of every column is that of values that are missing: suppressed, or null. To
// the tree they are a branch, to logistic regression one more value; naive Bayes leaves them out.
package classify
