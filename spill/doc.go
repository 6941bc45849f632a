// Package spill bounds the memory of a run. Budget is what everything that grows with
// the input is drawn from; Store takes to disk what does not fit.
//
// A Store holds sequences: numbered lists of chunks of bytes, appended at the end, read
// from the start as often as needed, freed as a whole.
//
//	Append ──▶ run (memory) ──full──▶ background writer ──▶ tables ──ingest──▶ Pebble ──▶ Read
//	                                                                  Free ──excise──▶ file deleted
//
// A run is cut into tables. A sequence with much in the run gets a table to itself, the
// others share one, so no table's keys lie between another's and a table's file goes when
// what is in it has been freed:
//
//	key   = home (8 bytes) │ sequence (8 bytes) │ chunk number (8 bytes), all big-endian
//	home  = the sequence, or 1<<63 plus a number of its own for a shared table
//	value = the chunk
//
// Contract: a draw that does not fit fails at once and takes nothing; the peak is exact. A
// Store returns the chunks that were appended or an error, never other bytes: every block
// has a checksum and every chunk is expected by number. Any failure of its files, seen by
// a caller or in the background, fails every later call. Nothing hangs on a full disk.
//
// Not promised: that the process is smaller than the budget by itself. That is so only as
// far as every holder draws what it holds, and the fixed overhead comes on top. A Store
// survives no crash: it syncs nothing, and the next Open or Sweep removes what was left.
package spill
