package heliograph

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ErrWebhookNotGenuine is what Parse fails with for a signature that is missing, wrong, or too far from the
// clock.
var ErrWebhookNotGenuine = errors.New("heliograph: the webhook is not genuine")

// WebhookEvent is the body of a delivery.
type WebhookEvent struct {
	// ID is the same on every attempt: skip what you have seen.
	ID        string         `json:"id"`
	Event     string         `json:"event"`
	AppID     string         `json:"appId"`
	Timestamp time.Time      `json:"timestamp"`
	Payload   map[string]any `json:"payload"`
}

// Webhooks verifies deliveries. Its Secrets are a webhook's secret, or several while one is being replaced.
type Webhooks struct {
	Secrets []string
	// Tolerance is how far the signature's time may differ from the clock, either way: 5 minutes unless given.
	Tolerance time.Duration
	// Now is used in place of the clock.
	Now func() time.Time
}

// NewWebhooks verifies with one secret or any of several; those that are empty do not count.
func NewWebhooks(secrets ...string) *Webhooks { return &Webhooks{Secrets: secrets} }

var digits = regexp.MustCompile(`^[0-9]{1,12}$`)

// Verify says whether a delivery is genuine: header is the value of X-Service-Signature, rawBody what came before
// anything parsed it.
func (w *Webhooks) Verify(rawBody []byte, header string) bool {
	now, tolerance := time.Now, 5*time.Minute
	if w.Now != nil {
		now = w.Now
	}
	if w.Tolerance != 0 {
		tolerance = w.Tolerance
	}
	var t string
	var signatures []string
	for _, part := range strings.Split(header, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		if name == "t" && t == "" {
			t = value
		} else if name == "v1" {
			signatures = append(signatures, value)
		}
	}
	if !digits.MatchString(t) {
		return false
	}
	seconds, err := strconv.ParseInt(t, 10, 64)
	apart := now().Unix() - seconds
	if err != nil || max(apart, -apart) > int64(tolerance/time.Second) {
		return false
	}
	genuine := false
	for _, secret := range w.Secrets {
		// An empty key would accept what anybody can sign.
		if secret == "" {
			continue
		}
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(t + "."))
		mac.Write(rawBody)
		expected := []byte(hex.EncodeToString(mac.Sum(nil)))
		for _, signature := range signatures {
			genuine = hmac.Equal(expected, []byte(signature)) || genuine
		}
	}
	return genuine
}

// Parse gives the event of a delivery that is genuine, else ErrWebhookNotGenuine. Without a secret, as when the
// environment lacks it, it fails with ErrInvalidArgument: nothing is wrong with the delivery.
func (w *Webhooks) Parse(rawBody []byte, header string) (*WebhookEvent, error) {
	if !slices.ContainsFunc(w.Secrets, func(secret string) bool { return secret != "" }) {
		return nil, fmt.Errorf("%w: a secret is required, and is empty", ErrInvalidArgument)
	}
	if !w.Verify(rawBody, header) {
		return nil, ErrWebhookNotGenuine
	}
	var event WebhookEvent
	if err := json.Unmarshal(rawBody, &event); err != nil {
		return nil, err
	}
	return &event, nil
}
