package bottomup

// WithWitnesses returns the engine that keeps so many witnesses of every set.
func (e Engine) WithWitnesses(n int) Engine {
	e.witnesses = n
	return e
}
