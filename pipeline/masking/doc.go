// Package masking makes the row groups of a release: it reads the input a second time, and
// replaces the values of masked columns by the labels that a recoding gives them.
//
//	Plan: which columns ─┐
//	splits ──PlanRowGroups──▶ tasks ──Mask──▶ encoded row groups ──▶ Sink, in order
//
//	task ──MaskTask──▶ bytes ──AddTask──▶ Sink, in order: tasks may be masked by several processes
//
// Contract: what is made depends on the input, the recoding and the plan, not on the number of
// threads or the budget. Masked columns are made of labels alone; nothing of the source's
// dictionaries or pages gets into them. The pages of kept columns are copied where they can be.
// Labels are found once for every distinct value, or tuple, of a reader.
//
// Not promised: where row groups go. The Sink writes them, and says which are there already.
package masking
