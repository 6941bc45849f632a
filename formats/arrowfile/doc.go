// Package arrowfile reads Arrow IPC files and streams: a formats.Source whose chunks are
// record batches.
//
// Contract: a dictionary column keeps its dictionary, also while deltas extend it; nested
// columns come as the leaves that Parquet would make of them. Either byte order, LZ4 and
// Zstandard are read. A column of a type that cannot be read is refused when it is asked
// for, not before.
//
// Arrow's own library reads the schema (its package ipc) and lays the buffers out as its
// arrays. What is our own, and why:
//
//   - The walk over messages, nodes and buffers: the library's reader decodes all columns of
//     a batch, believes the lengths that a file declares, has batches of a stream in their
//     order only, and resolves dictionaries that nothing has checked.
//   - The checks of sizes before memory is taken, and of offsets, views, indexes and texts
//     before they are used: the library has none, or panics.
//   - Unpacking, into memory of the declared size and no more: the library makes a
//     decompressor a batch, which costs three times the reading of small ones.
//   - Changing the byte order: the library forgets views.
//
// Not promised: unions and run-end encoded columns. They are refused.
package arrowfile
