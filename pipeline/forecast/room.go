package forecast

// Room is what a folder's file system has for what is written there.
type Room struct {
	Folder string  `json:"folder"`
	Free   int64   `json:"free_bytes"`
	Enough Verdict `json:"enough"`
}

// NewRoom compares the free bytes of a folder with what has to be written there.
func NewRoom(folder string, free int64, need Range) *Room {
	enough := Maybe
	switch {
	case need.AtMost <= free:
		enough = Yes
	case need.AtLeast > free:
		enough = No
	}
	return &Room{folder, free, enough}
}
