// Package arrowfile reads Arrow IPC files and streams: a formats.Source whose chunks are
// record batches.
//
// Contract: a dictionary column keeps its dictionary, also while deltas extend it; nested
// columns come as the leaves that Parquet would make of them. Either byte order, LZ4 and
// Zstandard are read. A column of a type that cannot be read is refused when it is asked
// for, not before.
//
// Arrow's own library, its package ipc, decodes the schema, dictionaries and record batches,
// behind a panic fence, and only what was checked before: it believes the lengths that a file
// declares. Each column is handed to it as a message of its own. So only the wanted columns
// are fetched and held, and one of them twice, since ipc copies. Three things are done here:
//
//   - A dictionary is decoded like a column. ipc's own would be the dictionaries of all columns
//     at once, in the order of a stream, and a new one for each delta.
//   - Buffers are unpacked before ipc sees them. It ignores the checksums of Zstandard frames,
//     gives each the window that it asks for, gigabytes too, and unpacks them on goroutines
//     that no fence encloses.
//   - Short decimals and views in big-endian files, which ipc does not know.
//
// Not promised: unions and run-end encoded columns. They are refused.
package arrowfile
