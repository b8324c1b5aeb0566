// Command wherry-apiserver is kube-apiserver and its etcd in one process, for tests of clients and
// operators. On request it also runs the controllers of kube-controller-manager without which an API server
// looks broken: namespace deletion, garbage collection, service accounts, the CA of the server in each namespace.
//
//	wherry-apiserver apiserver [flags] -- [flags of kube-apiserver]
//	wherry-apiserver kube-apiserver [flags of kube-apiserver]
//	wherry-apiserver etcd [flags of etcd]
//	wherry-apiserver version
//
// The first is both in one process; kube-apiserver and etcd are the plain programs, as envtest has them.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

const subcommands = "apiserver, kube-apiserver, etcd or version"

func main() {
	if len(os.Args) < 2 {
		fail("which subcommand? " + subcommands)
	}
	switch os.Args[1] {
	case "apiserver":
		os.Exit(apiserver(os.Args[2:]))
	case "kube-apiserver":
		os.Exit(kubeAPIServer(os.Args[2:]))
	case "etcd":
		etcdmain.Main(os.Args[1:])
	case "version":
		version()
	default:
		fail(fmt.Sprintf("no subcommand %q: %s", os.Args[1], subcommands))
	}
}

func apiserver(args []string) int {
	flags := flag.NewFlagSet("apiserver", flag.ExitOnError)
	var store etcdOptions
	flags.StringVar(&store.dataDir, "etcd-data", "", "folder of etcd's data; made when it is not there")
	flags.StringVar(&store.socket, "etcd-socket", "", "unix socket on which etcd serves gRPC and its JSON gateway")
	flags.Int64Var(&store.quotaBytes, "etcd-quota-bytes", 8<<30, "size at which etcd refuses writes")
	var controllers controllerOptions
	flags.StringVar(&controllers.kubeconfig, "controllers-kubeconfig", "", "runs the controllers, with these credentials")
	flags.StringVar(&controllers.signingKey, "controllers-signing-key", "", "private key for tokens of service accounts")
	flags.BoolVar(&controllers.clusterObjects, "controllers-cluster-objects", true, "gives each namespace its default account and the CA of the server")
	bound := flags.Bool("exit-with-parent", false, "exits when stdin ends, and on Linux when the parent dies")
	if err := flags.Parse(args); err != nil {
		fail(err.Error())
	}
	if *bound {
		exitWithParent()
	}

	stop, err := startEtcd(store)
	if err != nil {
		fail("etcd: " + err.Error())
	}
	if controllers.kubeconfig != "" {
		go func() {
			if err := runControllers(context.Background(), controllers); err != nil {
				fail("controllers: " + err.Error())
			}
		}()
	}
	code := kubeAPIServer(flags.Args())
	if code == 0 {
		stop()
	}
	return code
}

func kubeAPIServer(args []string) int {
	command := app.NewAPIServerCommand()
	command.SetArgs(args)
	return cli.Run(command)
}

// exitWithParent ends this process, at once, when its parent is gone: the parent holds the other end of stdin.
func exitWithParent() {
	killWithParent()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
}

// version prints the versions that were compiled in, one to a line.
func version() {
	info, _ := debug.ReadBuildInfo()
	for _, module := range info.Deps {
		switch module.Path {
		case "k8s.io/kubernetes", "go.etcd.io/etcd/server/v3":
			fmt.Println(module.Path, module.Version)
		}
	}
}

func fail(message string) {
	fmt.Fprintln(os.Stderr, "wherry-apiserver: "+message)
	os.Exit(1)
}
