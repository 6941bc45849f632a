package spill

import (
	"reflect"
	"strings"
	"testing"
)

// TestPebbleIsHidden: no type that importers see has a field of a Pebble type, except interfaces.
// From such a field the compiler would generate code in every importing package: see pieces.
func TestPebbleIsHidden(t *testing.T) {
	seen := make(map[reflect.Type]bool)
	var walk func(of reflect.Type, path string)
	walk = func(of reflect.Type, path string) {
		if seen[of] || of.Kind() == reflect.Interface {
			return
		}
		seen[of] = true
		if strings.Contains(of.PkgPath(), "cockroachdb") {
			t.Errorf("%s is a %s", path, of)
			return
		}
		switch of.Kind() {
		case reflect.Struct:
			for i := range of.NumField() {
				walk(of.Field(i).Type, path+"."+of.Field(i).Name)
			}
		case reflect.Map:
			walk(of.Key(), path)
			walk(of.Elem(), path)
		case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan:
			walk(of.Elem(), path)
		}
	}
	for _, of := range []reflect.Type{
		reflect.TypeFor[Store](), reflect.TypeFor[reader](), reflect.TypeFor[Sorter](),
		reflect.TypeFor[Budget](),
		reflect.TypeFor[Options](),
	} {
		walk(of, of.Name())
	}
	if len(seen) < 20 {
		t.Errorf("%d types were looked at", len(seen))
	}
}
