// Package lineage tells catalogs of data which datasets a run reads and writes, and which
// released columns come from which columns of the input: as events of OpenLineage
// (https://openlineage.io), version 2-0-2 of its specification.
//
// Contract: a run has a START and one of COMPLETE, FAIL and ABORT, under one id. Events name
// datasets, columns, types and counts. No value of the data is in them: not in the names of
// datasets, which are those of the job and not the files found there, nor in messages, from
// which the values in the names of partition folders are taken.
//
// Not promised: that an event arrives. A run neither waits nor fails for it.
package lineage
