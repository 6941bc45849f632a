package forecast

// Forecast is what a run would do and take; it is what `kcut plan --json` prints.
type Forecast struct {
	Output string `json:"output"`
	Exists bool   `json:"output_exists"`
	// AlreadyDone is whether it was made by the same job of the same input: a run does nothing,
	// unless it was changed since.
	AlreadyDone bool       `json:"already_done,omitempty"`
	Algorithm   string     `json:"algorithm"`
	Files       int        `json:"files"`
	Bytes       int64      `json:"input_bytes"`
	Rows        int64      `json:"rows"`
	Columns     []Column   `json:"columns"`
	Sets        []Set      `json:"quasi_identifiers"`
	Groupings   []Grouping `json:"distinct_tuples"` // of columns that are counted together
	Sampled     int64      `json:"sampled_rows"`
	Threads     int        `json:"threads"`
	Memory      Memory     `json:"memory"`
	Disk        Disk       `json:"disk"`
	Seconds     Seconds    `json:"seconds"`
	Notices     []string   `json:"notices,omitempty"`
}

// Set is a quasi-identifier set. With everything at its widest label all rows are alike, so
// that it can be met when there are at least k.
type Set struct {
	Columns   []string `json:"columns"`
	K         int      `json:"k"`
	Reachable bool     `json:"reachable"`
	Redundant bool     `json:"redundant,omitempty"` // others imply it
}

// Memory is in bytes.
type Memory struct {
	Budget   int64   `json:"budget_bytes"`
	Overhead int64   `json:"overhead_bytes"` // that the process may take beyond the budget
	Counting Range   `json:"counting_bytes"` // what counting needs, which may take half of the budget
	Spills   Verdict `json:"spills"`
}

// Disk is what to reserve, in bytes, and where; nil where the system does not tell what is free.
type Disk struct {
	Output     int64 `json:"output_bytes"`
	Spill      Range `json:"spill_bytes"`
	OutputRoom *Room `json:"output_room,omitempty"`
	SpillRoom  *Room `json:"spill_room,omitempty"`
}

// Room is what a folder's file system has for what is written there.
type Room struct {
	Folder string  `json:"folder"`
	Free   int64   `json:"free_bytes"`
	Enough Verdict `json:"enough"`
}

// NewRoom compares the free bytes of a folder with what has to be written there.
func NewRoom(folder string, free int64, need Range) *Room {
	enough := map[Verdict]Verdict{No: Yes, Maybe: Maybe, Yes: No}[need.above(free)]
	return &Room{folder, free, enough}
}

// Seconds are those of the clock, on a machine that has nothing else to do.
type Seconds struct {
	AtLeast float64 `json:"at_least"`
	AtMost  float64 `json:"at_most"`
}

// Weigh completes a forecast with what a load takes.
func (f *Forecast) Weigh(l *Load) {
	f.Rows, f.Groupings, f.Threads = l.Rows, l.Groupings, l.Threads
	f.Memory.Budget, f.Memory.Counting, f.Memory.Spills = l.Memory, l.InMemory(), l.Spills()
	f.Disk = Disk{Output: l.OutputDisk(), Spill: l.SpillDisk()}
	f.Seconds = l.Seconds()
}
