package engine

// Identity returns the coarsening of a domain that tells all codes apart.
func Identity(domain int) Coarsening {
	c := Coarsening{Codes: make([]uint32, domain), Domain: domain}
	for code := range c.Codes {
		c.Codes[code] = uint32(code)
	}
	return c
}
