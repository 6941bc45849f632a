package dataset

import "github.com/kcut/kcut/formats"

// splitRows is how many rows a split has at least, unless its file ends: row groups
// smaller than that are joined.
const splitRows = 65536

// planSplits cuts files into splits. The plan depends on the files alone.
func planSplits(files []member) []formats.Split {
	var splits []formats.Split
	row := int64(0)
	for _, file := range files {
		split := formats.Split{File: file.path, Row: row}
		flush := func() {
			split.Ordinal, split.Raw = len(splits), file.raw && split.Count == 1
			splits = append(splits, split)
			split = formats.Split{File: file.path, First: split.First + split.Count, Row: row}
		}
		for _, rows := range file.chunks {
			split.Count++
			split.Rows += rows
			row += rows
			if split.Rows >= splitRows {
				flush()
			}
		}
		if split.Rows > 0 {
			flush()
		}
	}
	return splits
}
