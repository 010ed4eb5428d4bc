// Package heliograph is the client of the Heliograph API for servers: retries, idempotency keys, pages, imports and
// exports of any size, and webhook verification.
package heliograph

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// Version of this package, and of the service that it was made for.
const Version = "0.1.0"

// ErrInvalidArgument is what a key, an address or an id that cannot work is refused with, before anything is asked.
var ErrInvalidArgument = errors.New("heliograph: invalid argument")

// Client has every operation of the service, by resource. It can be used by any number of goroutines.
type Client struct {
	Resources
}

type settings struct {
	timeout        time.Duration
	deadline       time.Duration
	maxRetries     int
	idempotencyKey *string
	header         http.Header
	http           *http.Client
}

// Option changes how calls are made: all of a client's, given to New, or one, given to it.
type Option func(*settings)

// WithTimeout says how long one attempt may take: 30 seconds unless given.
func WithTimeout(timeout time.Duration) Option { return func(s *settings) { s.timeout = timeout } }

// WithDeadline says how long a call may take with all its attempts and the waiting between them: 90 seconds unless
// given.
func WithDeadline(deadline time.Duration) Option { return func(s *settings) { s.deadline = deadline } }

// WithMaxRetries says how many attempts there may be after the first: 4 unless given.
func WithMaxRetries(retries int) Option { return func(s *settings) { s.maxRetries = retries } }

// WithIdempotencyKey makes calls of different processes one. Without it, each call that takes a key has one of its own.
func WithIdempotencyKey(key string) Option { return func(s *settings) { s.idempotencyKey = &key } }

// WithHeader adds a header, such as X-Identity-Hash.
func WithHeader(name, value string) Option {
	return func(s *settings) {
		s.header = s.header.Clone()
		if s.header == nil {
			s.header = http.Header{}
		}
		s.header.Set(name, value)
	}
}

// WithHTTPClient is given to New to use a client with proxies, certificates or a transport of your own.
func WithHTTPClient(client *http.Client) Option { return func(s *settings) { s.http = client } }

var printable = regexp.MustCompile(`^[!-~]+$`)

// New makes a client. apiKey is a secret key (sk_…), or a public one for the few operations that take it; baseURL is
// where the service is, such as https://push.example.com.
func New(apiKey, baseURL string, options ...Option) (*Client, error) {
	if !printable.MatchString(apiKey) {
		return nil, fmt.Errorf("%w: apiKey must be a key as it was shown: sk_… or pk_…", ErrInvalidArgument)
	}
	base, err := url.Parse(baseURL)
	if err != nil || (base.Scheme != "http" && base.Scheme != "https") || base.Host == "" || base.User != nil {
		return nil, fmt.Errorf("%w: baseURL must be the address of the service, such as https://push.example.com", ErrInvalidArgument)
	}
	s := settings{timeout: 30 * time.Second, deadline: 90 * time.Second, maxRetries: 4, http: http.DefaultClient}
	for _, option := range options {
		option(&s)
	}
	scheme := "ApiKey"
	if strings.HasPrefix(apiKey, "pk_") {
		scheme = "Public"
	}
	client := *s.http
	// The key goes nowhere else.
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	t := &transport{
		authorization: scheme + " " + apiKey,
		base:          base.Scheme + "://" + base.Host + strings.TrimRight(base.EscapedPath(), "/"),
		http:          &client,
		settings:      s,
	}
	return &Client{newResources(t)}, nil
}

// Ptr gives the address of a value, for fields that may be left out.
func Ptr[T any](value T) *T { return &value }
