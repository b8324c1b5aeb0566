package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"os"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// quotaKey names the ConfigMap that says how many fields a Widget may have.
var quotaKey = client.ObjectKey{Namespace: "default", Name: "quota"}

// quotaValidator refuses a Widget with more fields than the quota allows. The quota is read out of the manager's cache.
type quotaValidator struct {
	client client.Client
}

func (v quotaValidator) ValidateCreate(ctx context.Context, widget *Widget) (admission.Warnings, error) {
	var quota corev1.ConfigMap
	if err := v.client.Get(ctx, quotaKey, &quota); err != nil {
		return nil, err
	}
	most, err := strconv.Atoi(quota.Data["fields"])
	if err != nil {
		return nil, err
	}
	if len(widget.Spec.Data) > most {
		return nil, fmt.Errorf("at most %d fields", most)
	}
	return nil, nil
}

func (v quotaValidator) ValidateUpdate(context.Context, *Widget, *Widget) (admission.Warnings, error) {
	return nil, nil
}

func (v quotaValidator) ValidateDelete(context.Context, *Widget) (admission.Warnings, error) {
	return nil, nil
}

// runWebhook is the operator of the benchmark `webhook`: it serves one validating webhook, as people write it in Go.
func runWebhook(ctx context.Context, config *rest.Config) error {
	port, err := strconv.Atoi(os.Getenv("BENCH_PORT"))
	if err != nil {
		return fmt.Errorf("BENCH_PORT: %w", err)
	}
	scheme := runtime.NewScheme()
	if err := clientscheme.AddToScheme(scheme); err != nil {
		return err
	}
	scheme.AddKnownTypes(widgets, &Widget{}, &WidgetList{})
	metav1.AddToGroupVersion(scheme, widgets)
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                 scheme,
		Metrics:                server.Options{BindAddress: "0"},
		HealthProbeBindAddress: "0",
		WebhookServer: webhook.NewServer(webhook.Options{
			Host:    "127.0.0.1",
			Port:    port,
			CertDir: os.Getenv("BENCH_CERTS"),
			// As kubebuilder's scaffold has it. To a Service the API server speaks HTTP/1.1 anyway.
			TLSOpts: []func(*tls.Config){func(config *tls.Config) { config.NextProtos = []string{"http/1.1"} }},
		}),
	})
	if err != nil {
		return err
	}
	// The cache has to be there before the first request.
	if _, err := manager.GetCache().GetInformer(ctx, &corev1.ConfigMap{}); err != nil {
		return err
	}
	err = ctrl.NewWebhookManagedBy(manager, &Widget{}).
		WithValidator(quotaValidator{manager.GetClient()}).
		WithValidatorCustomPath(os.Getenv("BENCH_PATH")).
		Complete()
	if err != nil {
		return err
	}
	return manager.Start(ctx)
}
