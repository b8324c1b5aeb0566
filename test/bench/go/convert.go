package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"os"
	"sort"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/conversion"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
)

var gadgetsBeta = schema.GroupVersion{Group: "bench.example.com", Version: "v1beta1"}

// Gadget is a custom resource as it is stored: it has its data by name.
type Gadget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              WidgetSpec `json:"spec,omitempty"`
}

// Hub says that all versions are converted through this one.
func (*Gadget) Hub() {}

// DeepCopyObject copies all of it, as generated code does.
func (g *Gadget) DeepCopyObject() runtime.Object {
	out := &Gadget{TypeMeta: g.TypeMeta}
	g.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	if g.Spec.Data != nil {
		out.Spec.Data = make(map[string]string, len(g.Spec.Data))
		for key, value := range g.Spec.Data {
			out.Spec.Data[key] = value
		}
	}
	return out
}

// GadgetEntry is one value of the older version.
type GadgetEntry struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// GadgetBetaSpec has the data as a list.
type GadgetBetaSpec struct {
	Entries []GadgetEntry `json:"entries,omitempty"`
}

// GadgetBeta is the older version.
type GadgetBeta struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              GadgetBetaSpec `json:"spec,omitempty"`
}

// DeepCopyObject copies all of it, as generated code does.
func (g *GadgetBeta) DeepCopyObject() runtime.Object {
	out := &GadgetBeta{TypeMeta: g.TypeMeta}
	g.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Spec.Entries = append([]GadgetEntry(nil), g.Spec.Entries...)
	return out
}

// ConvertTo makes the stored version of it.
func (g *GadgetBeta) ConvertTo(hub conversion.Hub) error {
	out := hub.(*Gadget)
	out.ObjectMeta = g.ObjectMeta
	out.Spec.Data = make(map[string]string, len(g.Spec.Entries))
	for _, entry := range g.Spec.Entries {
		out.Spec.Data[entry.Key] = entry.Value
	}
	return nil
}

// ConvertFrom makes it of the stored version.
func (g *GadgetBeta) ConvertFrom(hub conversion.Hub) error {
	in := hub.(*Gadget)
	g.ObjectMeta = in.ObjectMeta
	g.Spec.Entries = make([]GadgetEntry, 0, len(in.Spec.Data))
	for key, value := range in.Spec.Data {
		g.Spec.Entries = append(g.Spec.Entries, GadgetEntry{key, value})
	}
	sort.Slice(g.Spec.Entries, func(i, j int) bool { return g.Spec.Entries[i].Key < g.Spec.Entries[j].Key })
	return nil
}

// runConvert is the operator of the benchmark `convert`: it serves one conversion, as people write it in Go.
func runConvert(ctx context.Context, config *rest.Config) error {
	port, err := strconv.Atoi(os.Getenv("BENCH_PORT"))
	if err != nil {
		return fmt.Errorf("BENCH_PORT: %w", err)
	}
	scheme := runtime.NewScheme()
	scheme.AddKnownTypeWithName(widgets.WithKind("Gadget"), &Gadget{})
	scheme.AddKnownTypeWithName(gadgetsBeta.WithKind("Gadget"), &GadgetBeta{})
	metav1.AddToGroupVersion(scheme, widgets)
	metav1.AddToGroupVersion(scheme, gadgetsBeta)
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                 scheme,
		Metrics:                server.Options{BindAddress: "0"},
		HealthProbeBindAddress: "0",
		WebhookServer: webhook.NewServer(webhook.Options{
			Host:    "127.0.0.1",
			Port:    port,
			CertDir: os.Getenv("BENCH_CERTS"),
			TLSOpts: []func(*tls.Config){func(config *tls.Config) { config.NextProtos = []string{"http/1.1"} }},
		}),
	})
	if err != nil {
		return err
	}
	if err := ctrl.NewWebhookManagedBy(manager, &Gadget{}).Complete(); err != nil {
		return err
	}
	return manager.Start(ctx)
}
