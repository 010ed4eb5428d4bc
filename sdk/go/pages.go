package heliograph

import (
	"context"
	"encoding/json"
	"net/url"
)

// Page is a part of a list.
type Page[T any] struct {
	Data []T `json:"data"`
	// NextCursor is nil on the last page.
	NextCursor *string `json:"next_cursor"`
}

// UnmarshalJSON reads a page; what has no items and no cursor is none.
func (p *Page[T]) UnmarshalJSON(text []byte) error {
	var page struct {
		Data       []T             `json:"data"`
		NextCursor json.RawMessage `json:"next_cursor"`
	}
	if err := json.Unmarshal(text, &page); err != nil {
		return err
	}
	if page.Data == nil || page.NextCursor == nil {
		return errPage
	}
	p.Data = page.Data
	return json.Unmarshal(page.NextCursor, &p.NextCursor)
}

// Pages is a list. Nothing is asked before one of its methods is called.
type Pages[T any] struct {
	client  *transport
	request request
}

func newPages[T any](client *transport, request request) *Pages[T] { return &Pages[T]{client, request} }

// Page gives the first page, or the one of the cursor that was given.
func (p *Pages[T]) Page(ctx context.Context) (*Page[T], error) {
	return value[Page[T]](ctx, p.client, p.request)
}

// Pages goes through the pages: for page, err := range list.Pages(ctx). After an error there is no other.
func (p *Pages[T]) Pages(ctx context.Context) func(yield func(*Page[T], error) bool) {
	return func(yield func(*Page[T], error) bool) {
		r := p.request
		for {
			page, err := value[Page[T]](ctx, p.client, r)
			if !yield(page, err) || err != nil || page.NextCursor == nil {
				return
			}
			query := url.Values{}
			for name, values := range p.request.query {
				query[name] = values
			}
			query.Set("cursor", *page.NextCursor)
			r.query = query
		}
	}
}

// All goes through the items of all pages: for item, err := range list.All(ctx). After an error there is no other.
func (p *Pages[T]) All(ctx context.Context) func(yield func(T, error) bool) {
	return func(yield func(T, error) bool) {
		p.Pages(ctx)(func(page *Page[T], err error) bool {
			if err != nil {
				var none T
				return yield(none, err)
			}
			for _, item := range page.Data {
				if !yield(item, nil) {
					return false
				}
			}
			return true
		})
	}
}
