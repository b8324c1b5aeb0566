// A kubelet without containers, for tests: the streaming server and the reader of logs are those of a real kubelet. The folder
// ROOT/NAMESPACE/POD/CONTAINER stands for a container: `log` is its log in CRI's form, `previous.log` that of its last run. With a
// file `exited` it does not run, and with a file `waiting` it has not started yet. Commands are run on this machine, in the folder.
package main

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	internalapi "k8s.io/cri-api/pkg/apis"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/cri-client/pkg/logs"
	"k8s.io/cri-streaming/pkg/streaming"
	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
	utilexec "k8s.io/utils/exec"
)

var root string

func main() {
	root = os.Getenv("KUBELET_ROOT")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	config := streaming.DefaultConfig
	config.Addr = inner.Addr().String()
	config.BaseURL = &url.URL{Scheme: "http", Host: config.Addr, Path: "/"}
	server, err := streaming.NewServer(config, host{})
	check(err)
	go http.Serve(inner, server)
	mux := http.NewServeMux()
	mux.HandleFunc("/containerLogs/{namespace}/{pod}/{container}", readLogs)
	mux.HandleFunc("/exec/{namespace}/{pod}/{container}", func(w http.ResponseWriter, r *http.Request) {
		id, ok := running(w, r)
		if !ok {
			return
		}
		query := r.URL.Query()
		answer, err := server.GetExec(&runtimeapi.ExecRequest{
			ContainerId: id, Cmd: query["command"], Tty: query.Get("tty") == "1",
			Stdin: query.Get("input") == "1", Stdout: query.Get("output") == "1", Stderr: query.Get("error") == "1",
		})
		passOn(w, r, answer.GetUrl(), err)
	})
	mux.HandleFunc("/attach/{namespace}/{pod}/{container}", func(w http.ResponseWriter, r *http.Request) {
		id, ok := running(w, r)
		if !ok {
			return
		}
		query := r.URL.Query()
		answer, err := server.GetAttach(&runtimeapi.AttachRequest{
			ContainerId: id, Tty: query.Get("tty") == "1",
			Stdin: query.Get("input") == "1", Stdout: query.Get("output") == "1", Stderr: query.Get("error") == "1",
		})
		passOn(w, r, answer.GetUrl(), err)
	})
	mux.HandleFunc("/portForward/{namespace}/{pod}", func(w http.ResponseWriter, r *http.Request) {
		var ports []int32
		for _, text := range append(r.URL.Query()["port"], r.URL.Query()["ports"]...) {
			for _, one := range strings.Split(text, ",") {
				port, err := strconv.Atoi(one)
				check(err)
				ports = append(ports, int32(port))
			}
		}
		answer, err := server.GetPortForward(&runtimeapi.PortForwardRequest{PodSandboxId: r.PathValue("pod"), Port: ports})
		passOn(w, r, answer.GetUrl(), err)
	})
	tlsListener := tls.NewListener(listener, &tls.Config{Certificates: []tls.Certificate{certificate()}, NextProtos: []string{"http/1.1"}})
	fmt.Printf("{\"port\":%d}\n", listener.Addr().(*net.TCPAddr).Port)
	go func() {
		// Ends with the program that started it.
		io.Copy(io.Discard, bufio.NewReader(os.Stdin))
		os.Exit(0)
	}()
	check(http.Serve(tlsListener, mux))
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func has(folder, name string) bool {
	_, err := os.Stat(filepath.Join(folder, name))
	return err == nil
}

func folderOf(r *http.Request) string {
	return filepath.Join(root, r.PathValue("namespace"), r.PathValue("pod"), r.PathValue("container"))
}

// running gives the ID of a container, which is its folder; it answers as a kubelet does if there is none.
func running(w http.ResponseWriter, r *http.Request) (string, bool) {
	folder := folderOf(r)
	if has(folder, "exited") || has(folder, "waiting") || !has(folder, "") {
		streaming.WriteError(fmt.Errorf("container not found (%q)", r.PathValue("container")), w)
		return "", false
	}
	return folder, true
}

func passOn(w http.ResponseWriter, r *http.Request, target string, err error) {
	if err != nil {
		streaming.WriteError(err, w)
		return
	}
	location, err := url.Parse(target)
	check(err)
	proxy := httputil.ReverseProxy{Rewrite: func(out *httputil.ProxyRequest) {
		out.Out.URL = location
		out.Out.Host = location.Host
	}}
	proxy.ServeHTTP(w, r)
}

type host struct{}

func (host) Exec(ctx context.Context, id string, command []string, in io.Reader, out, errs io.WriteCloser, tty bool, resize <-chan remotecommand.TerminalSize) error {
	if command[0] == "print-sizes" {
		for range 2 {
			size := <-resize
			fmt.Fprintf(out, "%dx%d\n", size.Width, size.Height)
		}
		return nil
	}
	process := exec.CommandContext(ctx, command[0], command[1:]...)
	process.Dir = id
	process.Stdout = out
	process.Stderr = errs
	if errs == nil {
		process.Stderr = out
	}
	if in == nil {
		return exitError(process.Run())
	}
	stdin, err := process.StdinPipe()
	if err != nil {
		return err
	}
	if err := process.Start(); err != nil {
		return err
	}
	go func() {
		io.Copy(stdin, in)
		stdin.Close()
	}()
	return exitError(process.Wait())
}

func exitError(err error) error {
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return &utilexec.CodeExitError{Err: err, Code: failed.ExitCode()}
	}
	return err
}

// Attach stands for a program that repeats what it reads.
func (host) Attach(ctx context.Context, id string, in io.Reader, out, errs io.WriteCloser, tty bool, resize <-chan remotecommand.TerminalSize) error {
	if in == nil {
		_, err := io.WriteString(out, "ready\n")
		return err
	}
	_, err := io.Copy(out, in)
	return err
}

func (host) PortForward(ctx context.Context, pod string, port int32, stream io.ReadWriteCloser) error {
	connection, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return err
	}
	defer connection.Close()
	done := make(chan error, 2)
	go func() {
		_, err := io.Copy(stream, connection)
		done <- err
	}()
	go func() {
		io.Copy(connection, stream)
		connection.(*net.TCPConn).CloseWrite()
	}()
	return <-done
}

// states says which containers run, to the reader of logs.
type states struct{ internalapi.RuntimeService }

func (states) ContainerStatus(ctx context.Context, id string, verbose bool) (*runtimeapi.ContainerStatusResponse, error) {
	state := runtimeapi.ContainerState_CONTAINER_RUNNING
	if has(id, "exited") {
		state = runtimeapi.ContainerState_CONTAINER_EXITED
	}
	return &runtimeapi.ContainerStatusResponse{Status: &runtimeapi.ContainerStatus{State: state}}, nil
}

type flushing struct {
	http.ResponseWriter
}

func (f flushing) Write(bytes []byte) (int, error) {
	n, err := f.ResponseWriter.Write(bytes)
	f.ResponseWriter.(http.Flusher).Flush()
	return n, err
}

func readLogs(w http.ResponseWriter, r *http.Request) {
	folder, query := folderOf(r), r.URL.Query()
	pod, container := r.PathValue("pod"), r.PathValue("container")
	refuse := func(format string, args ...any) {
		http.Error(w, fmt.Sprintf(format, args...), http.StatusBadRequest)
	}
	path := filepath.Join(folder, "log")
	if query.Get("previous") == "true" {
		path = filepath.Join(folder, "previous.log")
		if !has(folder, "previous.log") {
			refuse("previous terminated container %q in pod %q not found", container, pod)
			return
		}
	} else if has(folder, "waiting") {
		refuse("container %q in pod %q is waiting to start: %s", container, pod, "ContainerCreating")
		return
	}
	options := &logs.LogOptions{Follow: query.Get("follow") == "true", Timestamp: query.Get("timestamps") == "true"}
	if lines, err := strconv.ParseInt(query.Get("tailLines"), 10, 64); err == nil {
		options.TailLines = &lines
	}
	if bytes, err := strconv.ParseInt(query.Get("limitBytes"), 10, 64); err == nil {
		options.LimitBytes = &bytes
	}
	if seconds, err := strconv.ParseInt(query.Get("sinceSeconds"), 10, 64); err == nil {
		options.Since = time.Now().Add(-time.Duration(seconds) * time.Second)
	}
	if since, err := time.Parse(time.RFC3339, query.Get("sinceTime")); err == nil {
		options.Since = since
	}
	writer := flushing{w}
	if err := logs.ReadLogs(r.Context(), path, folder, options, states{}, writer, writer); err != nil {
		refuse("%v", err)
	}
}

func certificate() tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(24 * time.Hour),
		IPAddresses:  []net.IP{net.ParseIP("127.0.0.1")},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	check(err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}
