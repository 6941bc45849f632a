package publish

// FillOutput writes a content to an output: to its parts, one of them further down.
var FillOutput = fillOutput
