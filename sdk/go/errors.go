package heliograph

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"time"
)

// ErrorDetail says what is wrong with a field.
type ErrorDetail struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// APIError is the service's refusal.
type APIError struct {
	Status int
	// Code is "unknown" for an answer that is not the service's own, such as a proxy's.
	Code      string
	Message   string
	Details   []ErrorDetail
	RequestID string
	// RetryAfter is how long the service asks to wait; nil where it does not.
	RetryAfter *time.Duration
}

func (e *APIError) Error() string { return fmt.Sprintf("%d %s: %s", e.Status, e.Code, e.Message) }

// ConnectionError says that there was no whole answer: no connection, or one that broke.
type ConnectionError struct{ cause error }

func (e *ConnectionError) Error() string { return "no whole answer: " + e.cause.Error() }
func (e *ConnectionError) Unwrap() error { return e.cause }

// TimeoutError says that an attempt took longer than the timeout, or what was left of the deadline.
type TimeoutError struct{ After time.Duration }

func (e *TimeoutError) Error() string { return fmt.Sprintf("no answer within %v", e.After) }

// Timeout makes it one in the eyes of the standard library.
func (e *TimeoutError) Timeout() bool { return true }

// What cannot be waited for is as good as this, and can be added to.
const longestAsked = 100 * 365 * 24 * time.Hour

var seconds = regexp.MustCompile(`^[0-9]+$`)

// Seconds, or a date: both are allowed in HTTP.
func retryAfter(header string) *time.Duration {
	if seconds.MatchString(header) {
		count, err := strconv.ParseUint(header, 10, 31)
		if err != nil {
			return Ptr(longestAsked)
		}
		return Ptr(time.Duration(count) * time.Second)
	}
	at, err := http.ParseTime(header)
	if err != nil {
		return nil
	}
	return Ptr(min(longestAsked, max(0, time.Until(at))))
}

func apiError(response *http.Response) error {
	var body struct {
		Error struct {
			Code      string          `json:"code"`
			Message   string          `json:"message"`
			Details   json.RawMessage `json:"details"`
			RequestID string          `json:"request_id"`
		} `json:"error"`
	}
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	e := &APIError{Status: response.StatusCode, Code: "unknown", Message: http.StatusText(response.StatusCode)}
	// What is not of this form is a proxy's page.
	if json.Unmarshal(text, &body) == nil && body.Error.Code != "" {
		e.Code, e.Message = body.Error.Code, body.Error.Message
		if json.Unmarshal(body.Error.Details, &e.Details) != nil {
			e.Details = nil
		}
	}
	e.RequestID = body.Error.RequestID
	if e.RequestID == "" {
		e.RequestID = response.Header.Get("X-Request-Id")
	}
	e.RetryAfter = retryAfter(response.Header.Get("Retry-After"))
	return e
}
