// The conformance suite's command (sdk/conformance): a request a line in, an answer a line out.
package main

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	heliograph "github.com/heliograph/heliograph/sdk/go"
)

type clientOptions struct {
	APIKey     string `json:"api_key"`
	BaseURL    string `json:"base_url"`
	TimeoutMS  *int   `json:"timeout_ms"`
	DeadlineMS *int   `json:"deadline_ms"`
	MaxRetries *int   `json:"max_retries"`
}

type input struct {
	Client  clientOptions   `json:"client"`
	Call    string          `json:"call"`
	IDs     []string        `json:"ids"`
	Body    json.RawMessage `json:"body"`
	Query   json.RawMessage `json:"query"`
	Options struct {
		clientOptions
		IdempotencyKey *string           `json:"idempotency_key"`
		Headers        map[string]string `json:"headers"`
	} `json:"options"`
	As            string            `json:"as"`
	Take          int               `json:"take"`
	Lines         []json.RawMessage `json:"lines"`
	Generate      int               `json:"generate"`
	CancelAfterMS int               `json:"cancel_after_ms"`
	Secrets       []string          `json:"secrets"`
	Header        string            `json:"header"`
	BodyBase64    string            `json:"body_base64"`
	Now           int64             `json:"now"`
	Tolerance     int64             `json:"tolerance_seconds"`
}

type output struct {
	Value  any      `json:"value,omitempty"`
	Items  []any    `json:"items"`
	Count  *int     `json:"count,omitempty"`
	Errors *int     `json:"errors,omitempty"`
	Error  *problem `json:"error,omitempty"`
}

type problem struct {
	Kind         string                   `json:"kind"`
	Message      string                   `json:"message"`
	Status       int                      `json:"status,omitempty"`
	Code         string                   `json:"code,omitempty"`
	Details      []heliograph.ErrorDetail `json:"details,omitempty"`
	RequestID    *string                  `json:"request_id,omitempty"`
	RetryAfterMS *int64                   `json:"retry_after_ms"`
}

func problemOf(err error) *problem {
	p := &problem{Kind: "other", Message: err.Error()}
	var api *heliograph.APIError
	var late *heliograph.TimeoutError
	var broken *heliograph.ConnectionError
	switch {
	case errors.As(err, &api):
		p.Kind, p.Status, p.Code, p.Details, p.RequestID = "api", api.Status, api.Code, api.Details, &api.RequestID
		if api.RetryAfter != nil {
			p.RetryAfterMS = heliograph.Ptr(api.RetryAfter.Milliseconds())
		}
	case errors.As(err, &late):
		p.Kind = "timeout"
	case errors.As(err, &broken):
		p.Kind = "connection"
	case errors.Is(err, heliograph.ErrInvalidArgument):
		p.Kind = "usage"
	case errors.Is(err, heliograph.ErrWebhookNotGenuine):
		p.Kind = "webhook"
	case errors.Is(err, context.Canceled):
		p.Kind = "cancelled"
	}
	return p
}

func (in *input) decode(text json.RawMessage, to any) {
	if text == nil {
		return
	}
	if err := json.Unmarshal(text, to); err != nil {
		panic(err)
	}
}

func (c clientOptions) options() []heliograph.Option {
	var options []heliograph.Option
	if c.TimeoutMS != nil {
		options = append(options, heliograph.WithTimeout(time.Duration(*c.TimeoutMS)*time.Millisecond))
	}
	if c.DeadlineMS != nil {
		options = append(options, heliograph.WithDeadline(time.Duration(*c.DeadlineMS)*time.Millisecond))
	}
	if c.MaxRetries != nil {
		options = append(options, heliograph.WithMaxRetries(*c.MaxRetries))
	}
	return options
}

func (in *input) options() []heliograph.Option {
	options := in.Options.clientOptions.options()
	if in.Options.IdempotencyKey != nil {
		options = append(options, heliograph.WithIdempotencyKey(*in.Options.IdempotencyKey))
	}
	for name, value := range in.Options.Headers {
		options = append(options, heliograph.WithHeader(name, value))
	}
	return options
}

// Lines so long that those of a large import do not fit into the memory that a small one needs.
var tail = strings.Repeat("x", 300)

func lines[T any](in *input) func(yield func(T) bool) {
	return func(yield func(T) bool) {
		give := func(text []byte) bool {
			var line T
			in.decode(text, &line)
			return yield(line)
		}
		for _, line := range in.Lines {
			if !give(line) {
				return
			}
		}
		for i := range in.Generate {
			if !give([]byte(fmt.Sprintf(`{"token":"made-%d-%s","platform":"android"}`, i, tail))) {
				return
			}
		}
	}
}

func runValue(out *output) func(any, error) error {
	return func(value any, err error) error {
		if err == nil {
			out.Value = value
		}
		return err
	}
}

func runLines[T any](items func(yield func(T, error) bool), in *input, out *output) (failed error) {
	out.Items = []any{}
	if in.As == "count" {
		out.Count, out.Errors = new(int), new(int)
	}
	items(func(item T, err error) bool {
		if err != nil {
			failed = err
			return false
		}
		if in.As == "count" {
			*out.Count++
			if result, is := any(item).(heliograph.ImportResult); is && result.Error != nil {
				*out.Errors++
			}
			return true
		}
		out.Items = append(out.Items, item)
		return len(out.Items) != in.Take
	})
	return failed
}

func runPages[T any](ctx context.Context, pages *heliograph.Pages[T], in *input, out *output) error {
	switch in.As {
	case "pages":
		return runLines(pages.Pages(ctx), in, out)
	case "items":
		return runLines(pages.All(ctx), in, out)
	}
	page, err := pages.Page(ctx)
	return runValue(out)(page, err)
}

func run(in *input, out *output) error {
	if in.Call == "verify" || in.Call == "parse" {
		body, err := base64.StdEncoding.DecodeString(in.BodyBase64)
		if err != nil {
			return err
		}
		webhooks := heliograph.NewWebhooks(in.Secrets...)
		webhooks.Tolerance = time.Duration(in.Tolerance) * time.Second
		if in.Now != 0 {
			webhooks.Now = func() time.Time { return time.Unix(in.Now, 0) }
		}
		if in.Call == "verify" {
			out.Value = webhooks.Verify(body, in.Header)
			return nil
		}
		event, err := webhooks.Parse(body, in.Header)
		return runValue(out)(event, err)
	}
	// A connection of its own: on one that was kept net/http itself repeats a request that got no answer.
	own := &http.Transport{DisableKeepAlives: in.Client.MaxRetries != nil && *in.Client.MaxRetries == 0}
	defer own.CloseIdleConnections()
	options := append(in.Client.options(), heliograph.WithHTTPClient(&http.Client{Transport: own}))
	client, err := heliograph.New(in.Client.APIKey, in.Client.BaseURL, options...)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if in.CancelAfterMS > 0 {
		time.AfterFunc(time.Duration(in.CancelAfterMS)*time.Millisecond, cancel)
	}
	return dispatch(ctx, client, in, out)
}

func main() {
	reader := bufio.NewReaderSize(os.Stdin, 1<<20)
	encoder := json.NewEncoder(os.Stdout)
	for {
		line, err := reader.ReadBytes('\n')
		if err != nil {
			return
		}
		var in input
		if err := json.Unmarshal(line, &in); err != nil {
			panic(err)
		}
		var out output
		if err := run(&in, &out); err != nil {
			out.Error = problemOf(err)
		}
		if err := encoder.Encode(out); err != nil {
			panic(err)
		}
	}
}
