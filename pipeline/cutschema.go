package pipeline

import _ "embed"

//go:embed cut.schema.json
var cutSchema []byte

// CutSchema returns the JSON Schema (draft 2020-12) of the embedded cut, of both kinds.
func CutSchema() []byte { return cutSchema }
