// Package arrowfile reads Arrow IPC files and streams: a formats.Source whose chunks are
// record batches.
//
// Contract: a dictionary column keeps its dictionary, also while deltas extend it; nested
// columns come as the leaves that Parquet would make of them. Either byte order, LZ4 and
// Zstandard are read. A column of a type that cannot be read is refused when it is asked
// for, not before.
//
// Arrow's own library reads the schema (its package ipc) and lays the buffers out as its
// arrays, each behind a panic fence and a check of the sizes that it believes. The walk over
// messages, nodes and buffers is our own. ipc's was measured with a million rows of 8 numbers
// and 8 texts, in batches of 65,536 rows, or of 500:
//
//   - It reads all columns of a batch. With 3 of the 16 wanted that takes 4 to 17 times as
//     long as the walk does, with all of them up to 2.3 times: it copies each buffer once
//     more, and makes a decompressor a batch. Only large buffers of zstd are faster, by a
//     quarter, since it unpacks them on goroutines of its own.
//   - It allocates 236 to 508 MiB for these files where the walk does 10 to 32, and nothing
//     can refuse it: a frame of a few bytes may ask for a window of gigabytes.
//   - It believes the lengths that a file declares, has batches of a stream in their order
//     only, resolves dictionaries that nothing has checked, does not know short decimals, and
//     forgets views when it changes the byte order.
//
// Not promised: unions and run-end encoded columns. They are refused.
package arrowfile
