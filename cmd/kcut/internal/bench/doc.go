// Package bench measures whole runs: the table of docs/performance.md, and what spilling costs.
// All of it is in tests.
package bench
