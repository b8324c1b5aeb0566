// Command wherry-clients is Kubernetes' own clients, for the test that they work against the embedded API server.
//
//	wherry-clients kubectl [arguments of kubectl]
//	wherry-clients informer KUBECONFIG NAMESPACE
//	wherry-clients typed KUBECONFIG NAMESPACE
//
// The informer prints the events of ConfigMaps, one line each: synced, or added, updated and deleted with a name and
// the value of `n` in its data. It ends with its stdin.
package main

import (
	"fmt"
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
)

func main() {
	switch {
	case len(os.Args) > 1 && os.Args[1] == "kubectl":
		os.Args = os.Args[1:]
		os.Exit(cli.Run(cmd.NewDefaultKubectlCommand()))
	case len(os.Args) == 4 && os.Args[1] == "informer":
		if err := inform(os.Args[2], os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case len(os.Args) == 4 && os.Args[1] == "typed":
		if err := typed(os.Args[2], os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	default:
		fmt.Fprintln(os.Stderr, "kubectl, informer or typed?")
		os.Exit(1)
	}
}
