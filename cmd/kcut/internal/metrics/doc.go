// Package metrics tells how a run went in the text format of Prometheus, for the textfile
// collector of its node exporter: a batch job is gone before anybody could scrape it.
//
// Contract: a file holds the last run of one job, whether that failed or not, and when one
// last succeeded. It is replaced in one step, so that a collector never reads half of it.
// Label values are names of the job file, of columns and of stages, never values of the data.
package metrics
