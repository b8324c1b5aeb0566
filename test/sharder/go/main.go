// The controllers and the webhook of kubernetes-controller-sharding, at a port of the caller's choice.
//
// sharder KUBECONFIG PORT FOLDER: FOLDER has tls.crt and tls.key of 127.0.0.1, and ca.crt, which has issued them.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/timebertt/kubernetes-controller-sharding/pkg/apis/config/v1alpha1"
	"github.com/timebertt/kubernetes-controller-sharding/pkg/controller"
	utilclient "github.com/timebertt/kubernetes-controller-sharding/pkg/utils/client"
	"github.com/timebertt/kubernetes-controller-sharding/pkg/webhook"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	ctrlwebhook "sigs.k8s.io/controller-runtime/pkg/webhook"
)

func main() {
	ctrl.SetLogger(klog.NewKlogr())
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(kubeconfig, port, folder string) error {
	rest, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	at, err := strconv.Atoi(port)
	if err != nil {
		return err
	}
	ca, err := os.ReadFile(filepath.Join(folder, "ca.crt"))
	if err != nil {
		return err
	}
	url := "https://127.0.0.1:" + port
	config := &v1alpha1.SharderConfig{
		Controller: v1alpha1.Controller{
			Sharder: &v1alpha1.SharderController{SyncPeriod: &metav1.Duration{Duration: 5 * time.Second}},
		},
		Webhook: v1alpha1.Webhook{
			Config: &v1alpha1.WebhookConfig{ClientConfig: &admissionv1.WebhookClientConfig{URL: &url, CABundle: ca}},
		},
	}
	utilclient.SharderScheme.Default(config)
	manager, err := ctrl.NewManager(rest, ctrl.Options{
		Scheme:        utilclient.SharderScheme,
		Metrics:       server.Options{BindAddress: "0"},
		WebhookServer: ctrlwebhook.NewServer(ctrlwebhook.Options{Host: "127.0.0.1", Port: at, CertDir: folder}),
	})
	if err != nil {
		return err
	}
	ctx := ctrl.SetupSignalHandler()
	if err := controller.AddToManager(ctx, manager, config); err != nil {
		return err
	}
	if err := webhook.AddToManager(ctx, manager, config); err != nil {
		return err
	}
	return manager.Start(ctx)
}
