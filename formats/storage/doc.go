// Package storage is where files live: the machine's file system, or a bucket of an object
// store. It opens them for reading at any position, lists them and puts finished ones there.
//
// A location is a path, or a URL s3://bucket/key, gs://bucket/key or azblob://container/key, whose
// key is taken as it is: nothing in it is decoded, and ? and # are letters like others.
//
// Endpoint and credentials of a store come from the environment, as each cloud's own tools
// take them.
//
// Contract: what is read from an opened file is of one version of it. An object that is
// replaced meanwhile cannot be read any more: the error wraps formats.ErrDamaged. Other
// errors wrap fs.ErrNotExist, ErrDenied or, when trying again may help, ErrUnavailable.
//
// Not promised: locks. Two machines that write one location are told apart only by Upload's
// Fresh, where the store knows conditional writes.
package storage
