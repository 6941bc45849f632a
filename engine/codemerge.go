package engine

// Identity returns the code merge of a domain that tells all codes apart.
func Identity(domain int) CodeMerge {
	c := CodeMerge{Codes: make([]uint32, domain), Domain: domain}
	for code := range c.Codes {
		c.Codes[code] = uint32(code)
	}
	return c
}

// Identities returns the code merge of every attribute's domain that tells all codes apart.
func Identities(attributes []Attribute) []CodeMerge {
	merges := make([]CodeMerge, len(attributes))
	for a := range attributes {
		merges[a] = Identity(attributes[a].Len())
	}
	return merges
}
