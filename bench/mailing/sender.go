// A mailing by Go's net/http over HTTP/2: tokens from memory, nothing kept, nothing counted but answers. Arguments: the
// port of the provider, the authority's certificate file. Each line of the input is an order, {"count": n}; each is
// answered by a line, {"seconds": s}.
package main

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// As many as @parse/node-apn has under way in the same benchmark.
const callsAtOnce = 1000

type alert struct {
	Title string `json:"title"`
	Body  string `json:"body"`
}

type aps struct {
	Alert alert `json:"alert"`
}

type payload struct {
	Aps            aps    `json:"aps"`
	NotificationID string `json:"service_notification_id"`
	DeviceID       string `json:"service_device_id"`
}

type device struct{ token, id string }

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func randomBytes(length int) []byte {
	bytes := make([]byte, length)
	_, err := rand.Read(bytes)
	check(err)
	return bytes
}

func uuid() string {
	id := randomBytes(16)
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[0:4], id[4:6], id[6:8], id[8:10], id[10:])
}

// The provider token of a key of its own, as Apple wants it; it holds for an hour, longer than any benchmark.
func providerToken() string {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(err)
	text := base64.RawURLEncoding.EncodeToString
	claims := fmt.Sprintf(`{"iss":"DEF123GHIJ","iat":%d}`, time.Now().Unix())
	signed := text([]byte(`{"alg":"ES256","kid":"ABC123DEFG"}`)) + "." + text([]byte(claims))
	digest := sha256.Sum256([]byte(signed))
	r, s, err := ecdsa.Sign(rand.Reader, key, digest[:])
	check(err)
	signature := make([]byte, 64)
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	return "bearer " + signed + "." + text(signature)
}

func main() {
	port, caFile, title, body := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	authority, err := os.ReadFile(caFile)
	check(err)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority)
	client := &http.Client{
		Timeout:   time.Minute,
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true},
	}
	token := providerToken()
	var known []device

	send := func(to device, notificationID, expiration string) error {
		content, err := json.Marshal(payload{aps{alert{title, body}}, notificationID, to.id})
		if err != nil {
			return err
		}
		url := "https://localhost:" + port + "/3/device/" + to.token
		request, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(content))
		if err != nil {
			return err
		}
		request.Header.Set("authorization", token)
		request.Header.Set("apns-topic", "com.example.app")
		request.Header.Set("apns-push-type", "alert")
		request.Header.Set("apns-priority", "5")
		request.Header.Set("apns-expiration", expiration)
		request.Header.Set("apns-id", uuid())
		answer, err := client.Do(request)
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		if _, err := io.Copy(io.Discard, answer.Body); err != nil {
			return err
		}
		if answer.StatusCode != http.StatusOK || answer.ProtoMajor != 2 {
			return fmt.Errorf("the provider answers %s by %s", answer.Status, answer.Proto)
		}
		return nil
	}

	fmt.Println(`"ready"`)
	orders := bufio.NewScanner(os.Stdin)
	for orders.Scan() {
		var order struct{ Count int64 }
		check(json.Unmarshal(orders.Bytes(), &order))
		for int64(len(known)) < order.Count {
			known = append(known, device{hex.EncodeToString(randomBytes(32)), uuid()})
		}
		notificationID, expiration := uuid(), strconv.FormatInt(time.Now().Unix()+259200, 10)
		begun := time.Now()
		var next atomic.Int64
		var working sync.WaitGroup
		for worker := 0; worker < callsAtOnce; worker++ {
			working.Add(1)
			go func() {
				defer working.Done()
				for at := next.Add(1) - 1; at < order.Count; at = next.Add(1) - 1 {
					check(send(known[at], notificationID, expiration))
				}
			}()
		}
		working.Wait()
		fmt.Printf("{\"seconds\": %f}\n", time.Since(begun).Seconds())
	}
}
