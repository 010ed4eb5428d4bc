package heliograph

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Nullable is a field that can be left out, be null, or have a value; left out unless it is given one.
type Nullable[T any] struct {
	value  T
	isSet  bool
	isSome bool
}

// Value is a field with a value.
func Value[T any](value T) Nullable[T] { return Nullable[T]{value, true, true} }

// Null is a field that is null: in a change it clears what was there.
func Null[T any]() Nullable[T] { return Nullable[T]{isSet: true} }

// IsSet says whether it is not left out.
func (n Nullable[T]) IsSet() bool { return n.isSet }

// Get gives the value, and whether there is one.
func (n Nullable[T]) Get() (T, bool) { return n.value, n.isSome }

// MarshalJSON writes the value, or null.
func (n Nullable[T]) MarshalJSON() ([]byte, error) {
	if !n.isSome {
		return []byte("null"), nil
	}
	return json.Marshal(n.value)
}

// UnmarshalJSON reads a value, or null.
func (n *Nullable[T]) UnmarshalJSON(text []byte) error {
	*n = Nullable[T]{isSet: true}
	if string(text) == "null" {
		return nil
	}
	n.isSome = true
	return json.Unmarshal(text, &n.value)
}

// An object that is written field by field.
type object struct {
	buffer bytes.Buffer
	err    error
}

func (o *object) put(name string, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		o.err = err
		return
	}
	if o.buffer.Len() > 0 {
		o.buffer.WriteByte(',')
	}
	fmt.Fprintf(&o.buffer, "%q:%s", name, text)
}

func (o *object) bytes() ([]byte, error) {
	if o.err != nil {
		return nil, o.err
	}
	return append(append([]byte{'{'}, o.buffer.Bytes()...), '}'), nil
}

func orEmpty[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}

func text(value any) string { return fmt.Sprint(value) }
