package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// perSecond is the rate at which latency is measured: far from what either server can do.
const perSecond = 200

// atATime is the number of clients whose requests follow each other without a pause.
const atATime = 8

// load sends one request again and again, as the API server does to a webhook: over HTTP/1.1 and connections that stay open.
type load struct {
	client   *http.Client
	url      string
	token    string
	body     []byte
	expected []byte
}

// runLoad measures the server at BENCH_URL: the latency of requests at a steady rate, then how many it answers at most.
func runLoad(ctx context.Context, count int) error {
	body, err := os.ReadFile(os.Getenv("BENCH_BODY"))
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(os.Getenv("BENCH_CA")))
	token := os.Getenv("BENCH_TOKEN")
	l := &load{
		client: &http.Client{Transport: &http.Transport{
			TLSClientConfig:     &tls.Config{RootCAs: roots},
			MaxIdleConnsPerHost: 4 * atATime,
			// To the API server HTTP/2, as its clients have it.
			ForceAttemptHTTP2: token != "",
		}},
		url:      os.Getenv("BENCH_URL"),
		token:    token,
		body:     body,
		expected: []byte(os.Getenv("BENCH_EXPECTED")),
	}
	if err := l.ready(ctx); err != nil {
		return err
	}
	if _, err := l.atMost(count); err != nil {
		return err
	}
	latencies, err := l.steadily(count)
	if err != nil {
		return err
	}
	rate, err := l.atMost(2 * count)
	if err != nil {
		return err
	}
	slices.Sort(latencies)
	fmt.Printf("p50_us %d\n", latencies[len(latencies)/2].Microseconds())
	fmt.Printf("p99_us %d\n", latencies[len(latencies)*99/100].Microseconds())
	fmt.Printf("per_s %s\n", strconv.FormatFloat(rate, 'f', 1, 64))
	return nil
}

// ready returns when the server answers as it should.
func (l *load) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		_, err := l.once()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (l *load) once() (time.Duration, error) {
	request, err := http.NewRequest(http.MethodPost, l.url, bytes.NewReader(l.body))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	if l.token != "" {
		request.Header.Set("Authorization", "Bearer "+l.token)
	}
	begun := time.Now()
	response, err := l.client.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err
	}
	took := time.Since(begun)
	if !bytes.Contains(text, l.expected) {
		return 0, fmt.Errorf("%s: %s", response.Status, text)
	}
	return took, nil
}

// steadily begins a request at each tick, whether the one before was answered or not.
func (l *load) steadily(count int) ([]time.Duration, error) {
	latencies := make([]time.Duration, count)
	failures := make([]error, count)
	ticker := time.NewTicker(time.Second / perSecond)
	defer ticker.Stop()
	var group sync.WaitGroup
	for i := range count {
		<-ticker.C
		group.Go(func() { latencies[i], failures[i] = l.once() })
	}
	group.Wait()
	for _, err := range failures {
		if err != nil {
			return nil, err
		}
	}
	return latencies, nil
}

// atMost has so many requests answered as fast as the server can, and returns how many that were in a second.
func (l *load) atMost(count int) (float64, error) {
	var left atomic.Int64
	left.Store(int64(count))
	failures := make(chan error, atATime)
	begun := time.Now()
	var group sync.WaitGroup
	for range atATime {
		group.Go(func() {
			for left.Add(-1) >= 0 {
				if _, err := l.once(); err != nil {
					failures <- err
					return
				}
			}
		})
	}
	group.Wait()
	select {
	case err := <-failures:
		return 0, err
	default:
		return float64(count) / time.Since(begun).Seconds(), nil
	}
}
