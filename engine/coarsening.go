package engine

// Identity returns the coarsening of a domain that tells all codes apart.
func Identity(domain int) Coarsening {
	c := Coarsening{Codes: make([]uint32, domain), Domain: domain}
	for code := range c.Codes {
		c.Codes[code] = uint32(code)
	}
	return c
}

// Identities returns the coarsening of every attribute's domain that tells all codes apart.
func Identities(attributes []Attribute) []Coarsening {
	coarsenings := make([]Coarsening, len(attributes))
	for a := range attributes {
		coarsenings[a] = Identity(attributes[a].Len())
	}
	return coarsenings
}
