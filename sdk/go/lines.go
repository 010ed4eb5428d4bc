package heliograph

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// A part of an import has at most so many lines, and about so many bytes.
const (
	linesOfAPart = 2000
	bytesOfAPart = 1 << 20
)

var (
	errCut    = errors.New("the answer broke off in the middle of a line")
	errShape  = errors.New("the answer is not the service's: it is no object")
	errPage   = errors.New("the answer is not the service's: it is no page of a list")
	errResult = errors.New("the answer is not the service's: a result has no line")
)

// An answer, or a line of one: each of the service's is an object. Null would leave into as it is.
func decodeObject(text []byte, into any) error {
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return errShape
	}
	return json.Unmarshal(text, into)
}

// Each line of a body, decoded; false ends it.
func decodeLines[T any](body io.Reader, each func(T) bool) error {
	reader := bufio.NewReaderSize(body, 64*1024)
	for {
		line, err := reader.ReadBytes('\n')
		if err == io.EOF && len(line) > 0 {
			return errCut
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var item T
		if err := decodeObject(line, &item); err != nil {
			return err
		}
		if !each(item) {
			return nil
		}
	}
}

func readLines[T any](ctx context.Context, t *transport, r request) func(yield func(T, error) bool) {
	return func(yield func(T, error) bool) {
		var none T
		c, err := t.prepare(r, linesType, jsonType, nil)
		if err != nil {
			yield(none, err)
			return
		}
		var response *http.Response
		// Only the beginning has to come in time: the lines take as long as they are many.
		end, err := t.repeat(ctx, c, func(begun *http.Response) error {
			response = begun
			return nil
		})
		defer end()
		if err != nil {
			yield(none, err)
			return
		}
		defer response.Body.Close()
		err = decodeLines(response.Body, func(item T) bool { return yield(item, nil) })
		if err != nil {
			yield(none, failure(ctx, ctx, err))
		}
	}
}

// Each part is a call of its own, which can be repeated; results are numbered on from part to part.
func sendLines[In, Out any](ctx context.Context, t *transport, r request, lines func(yield func(In) bool), lineOf func(*Out) *int64) func(yield func(Out, error) bool) {
	return func(yield func(Out, error) bool) {
		var none Out
		var part bytes.Buffer
		var count, sent int64
		flush := func() bool {
			results, err := sendPart(ctx, t, r, part.Bytes(), lineOf)
			if err != nil {
				yield(none, err)
				return false
			}
			for _, result := range results {
				*lineOf(&result) += sent
				if !yield(result, nil) {
					return false
				}
			}
			sent += count
			count = 0
			part = bytes.Buffer{}
			return true
		}
		stopped := false
		lines(func(line In) bool {
			text, err := json.Marshal(line)
			if err != nil {
				yield(none, fmt.Errorf("%w: %v", ErrInvalidArgument, err))
				stopped = true
				return false
			}
			part.Write(text)
			part.WriteByte('\n')
			count++
			if (count >= linesOfAPart || part.Len() >= bytesOfAPart) && !flush() {
				stopped = true
			}
			return !stopped
		})
		if !stopped && count > 0 {
			flush()
		}
	}
}

func sendPart[Out any](ctx context.Context, t *transport, r request, part []byte, lineOf func(*Out) *int64) ([]Out, error) {
	c, err := t.prepare(r, linesType, linesType, part)
	if err != nil {
		return nil, err
	}
	var results []Out
	err = t.whole(ctx, c, func(content []byte) error {
		results = nil
		isNumbered := true
		err := decodeLines(bytes.NewReader(content), func(result Out) bool {
			isNumbered = isNumbered && *lineOf(&result) > 0
			results = append(results, result)
			return true
		})
		if err == nil && !isNumbered {
			return errResult
		}
		return err
	})
	return results, err
}

// Lines gives the items of a slice to an import.
func Lines[T any](items []T) func(yield func(T) bool) {
	return func(yield func(T) bool) {
		for _, item := range items {
			if !yield(item) {
				return
			}
		}
	}
}
