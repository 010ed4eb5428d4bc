package heliograph

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"time"
)

const (
	firstWait   = 250 * time.Millisecond
	longestWait = 20 * time.Second
	jsonType    = "application/json"
	linesType   = "application/x-ndjson"
)

type transport struct {
	authorization string
	base          string
	http          *http.Client
	settings      settings
}

type request struct {
	method   string
	path     string
	ids      []string
	query    url.Values
	body     any
	takesKey bool
	options  []Option
}

type call struct {
	settings settings
	method   string
	url      string
	header   http.Header
	content  []byte
}

var (
	placeholder    = regexp.MustCompile(`\{[^}]+\}`)
	idempotencyKey = regexp.MustCompile(`^[!-~]{1,255}$`)
	headerName     = regexp.MustCompile("^[!#-'*+.^-z|~0-9A-Z-]+$")
	headerValue    = regexp.MustCompile(`^[\t -~]*$`)
)

func (t *transport) prepare(r request, accept, contentType string, content []byte) (*call, error) {
	s := t.settings
	for _, option := range r.options {
		option(&s)
	}
	var invalid error
	ids := r.ids
	path := placeholder.ReplaceAllStringFunc(r.path, func(name string) string {
		id := ids[0]
		ids = ids[1:]
		// Empty, it would make another address of it, that of the list; dots lead elsewhere, percent-encoded too.
		if id == "" || id == "." || id == ".." {
			invalid = fmt.Errorf("%w: %s must not be %q", ErrInvalidArgument, name[1:len(name)-1], id)
		}
		return url.PathEscape(id)
	})
	if invalid != nil {
		return nil, invalid
	}
	header := http.Header{}
	header.Set("Authorization", t.authorization)
	header.Set("Accept", accept)
	header.Set("User-Agent", "heliograph-go/"+Version)
	if content != nil {
		header.Set("Content-Type", contentType)
	}
	if r.takesKey {
		key := newKey()
		if s.idempotencyKey != nil {
			key = *s.idempotencyKey
		}
		if !idempotencyKey.MatchString(key) {
			return nil, fmt.Errorf("%w: the idempotency key must be 1 to 255 printable ASCII characters without spaces", ErrInvalidArgument)
		}
		header.Set("Idempotency-Key", key)
	}
	for name, values := range s.header {
		if !headerName.MatchString(name) {
			return nil, fmt.Errorf("%w: %q is no name of a header", ErrInvalidArgument, name)
		}
		if !headerValue.MatchString(values[0]) {
			return nil, fmt.Errorf("%w: the header %s must be printable ASCII characters", ErrInvalidArgument, name)
		}
		header[name] = values
	}
	address := t.base + path
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}
	return &call{s, r.method, address, header, content}, nil
}

func newKey() string {
	var b [16]byte
	if _, err := rand.Read(b[:]); err != nil {
		panic(err)
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// One attempt. The time is for all that read does; the context that the response is bound to lives until end is called.
func (t *transport) attempt(ctx context.Context, c *call, after time.Duration, read func(*http.Response) error) (end func(), err error) {
	attempt, cancel := context.WithCancelCause(ctx)
	end = func() { cancel(nil) }
	late := &TimeoutError{after}
	timer := time.AfterFunc(after, func() { cancel(late) })
	defer timer.Stop()
	request, err := http.NewRequestWithContext(attempt, c.method, c.url, nil)
	if err != nil {
		return end, fmt.Errorf("%w: %v", ErrInvalidArgument, err)
	}
	request.Header = c.header.Clone()
	if c.content != nil {
		request.ContentLength = int64(len(c.content))
		request.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(c.content)), nil }
		request.Body, _ = request.GetBody()
	}
	response, err := t.http.Do(request)
	if err == nil {
		if response.StatusCode < 200 || response.StatusCode > 299 {
			err = apiError(response)
		} else {
			err = read(response)
		}
		if err != nil {
			response.Body.Close()
		}
	}
	if err == nil {
		return end, nil
	}
	return end, failure(ctx, attempt, err)
}

func failure(ctx, attempt context.Context, err error) error {
	var api *APIError
	if errors.As(err, &api) {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var late *TimeoutError
	if errors.As(context.Cause(attempt), &late) {
		return late
	}
	return &ConnectionError{err}
}

// How long to wait for another attempt, and whether it would help.
func waitAfter(err error, tries int) (time.Duration, bool) {
	var api *APIError
	var late *TimeoutError
	var broken *ConnectionError
	switch {
	case errors.As(err, &api):
		again := api.Status == 429 || api.Status == 408 || api.Status >= 500
		// A conflict that says when to come again: the first try of the same call is still at work.
		if !again && !(api.Status == 409 && api.RetryAfter != nil) {
			return 0, false
		}
		if api.RetryAfter != nil {
			// A little more, so that not all clients come back at the same moment.
			more := min(time.Second, 100*time.Millisecond+*api.RetryAfter/4)
			return *api.RetryAfter + mathrand.N(more), true
		}
	case !errors.As(err, &late) && !errors.As(err, &broken):
		return 0, false
	}
	wait := min(longestWait, firstWait<<min(tries, 10))
	return wait/2 + mathrand.N(wait/2), true
}

func (t *transport) repeat(ctx context.Context, c *call, read func(*http.Response) error) (end func(), err error) {
	finish := time.Now().Add(c.settings.deadline)
	for tries := 0; ; tries++ {
		after := min(c.settings.timeout, max(time.Millisecond, time.Until(finish)))
		end, err = t.attempt(ctx, c, after, read)
		if err == nil {
			return end, nil
		}
		end()
		wait, helps := waitAfter(err, tries)
		if !helps || tries >= c.settings.maxRetries || time.Until(finish) <= wait {
			return end, err
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return end, ctx.Err()
		}
	}
}

func (t *transport) whole(ctx context.Context, c *call, decode func([]byte) error) error {
	end, err := t.repeat(ctx, c, func(response *http.Response) error {
		defer response.Body.Close()
		content, err := io.ReadAll(response.Body)
		if err != nil {
			return err
		}
		return decode(content)
	})
	end()
	return err
}

func value[T any](ctx context.Context, t *transport, r request) (*T, error) {
	var content []byte
	if r.body != nil {
		encoded, err := json.Marshal(r.body)
		if err != nil {
			return nil, fmt.Errorf("%w: %v", ErrInvalidArgument, err)
		}
		content = encoded
	}
	c, err := t.prepare(r, jsonType, jsonType, content)
	if err != nil {
		return nil, err
	}
	var result *T
	err = t.whole(ctx, c, func(content []byte) error {
		result = new(T)
		return decodeObject(content, result)
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}
