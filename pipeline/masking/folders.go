package masking

import (
	"path"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/fileset"
)

// The rows of a partitioned release are sorted first by the labels that name folders, so that the
// rows of a folder follow each other. The number of a folder has the ranks of these labels as
// digits.

// mostFolders is the largest number of folders of a release. It counts all combinations of labels,
// including those without rows.
const mostFolders = 1 << 16

// checkFolders refuses labels that cannot name folders, and more than mostFolders.
func (f *rowForm) checkFolders() error {
	for i := range f.masked[:f.folders] {
		if err := f.masked[i].checkNames(&f.columns[f.masked[i].column]); err != nil {
			return err
		}
	}
	if n := f.folderCount(); n > mostFolders {
		return fault.Errorf(fault.Usage,
			"name fewer columns, or some with fewer labels, in output.partition_by",
			"divide the release into partitions: its columns have more than %d combinations of "+
				"labels", mostFolders)
	}
	return nil
}

// folderCount returns the number of possible folders: 1 without partitions, or more than
// mostFolders.
func (f *rowForm) folderCount() int {
	n := 1
	for i := range f.masked[:f.folders] {
		if n *= len(f.masked[i].codes); n > mostFolders {
			return n
		}
	}
	return n
}

// folderOf returns the number of a row's folder, by the words of the row's head.
func (f *rowForm) folderOf(words []uint64) (number int) {
	for i := range f.masked[:f.folders] {
		number = number*len(f.masked[i].codes) + f.masked[i].rank(words[f.masked[i].word])
	}
	return number
}

// folderPath returns the path of a folder. It is empty without partitions.
func (f *rowForm) folderPath(number int) (folder string, err error) {
	for i := f.folders - 1; i >= 0; i-- {
		m := &f.masked[i]
		c := &f.columns[m.column]
		code := m.codes[number%len(m.codes)]
		number /= len(m.codes)
		label := ""
		if code > 0 {
			label = string(c.values.Bytes(int(code - 1)))
		}
		name, err := fileset.PartitionName(c.output.Field.Name, label, code == 0)
		if err != nil {
			return "", fault.Errorf(fault.Usage, "name another column in output.partition_by",
				"name a partition: %w", err)
		}
		folder = path.Join(name, folder)
	}
	return folder, nil
}

// checkNames refuses labels of a column with a reserved meaning in partitions, and two labels that
// some file systems take for one folder.
func (m *headField) checkNames(c *releaseColumn) error {
	const hint = "name another column in output.partition_by, or give its values other names " +
		"before kcut reads them"
	name, known := c.output.Field.Name, make(map[string]string)
	for _, code := range m.codes {
		if code == 0 { // the null
			continue
		}
		label := string(c.values.Bytes(int(code - 1)))
		if fileset.MeansNull(label) {
			return fault.Errorf(fault.Input, hint,
				"name partitions: column %s has a label that readers of partitions take for a null",
				name)
		}
		folded := fileset.FoldedLabel(label)
		if other, twice := known[folded]; twice && other != label {
			return fault.Errorf(fault.Input, hint,
				"name partitions: column %s has labels that differ in case or in the form of "+
					"Unicode alone, and are one folder in some file systems", name)
		}
		known[folded] = label
	}
	return nil
}
