// Command wherry-reconciler is the subject `controller-runtime` of the benchmark `reconcile`: the operator that the
// TypeScript subjects are too, as people write it in Go. It reads every Widget out of its cache and does nothing with it.
//
// It says `ready` on standard output when each of so many Widgets was reconciled, `settled` when it has given back the
// memory that it can, and then runs on until it is ended. With BENCH_OF it is a subject of the benchmarks `apply`,
// `webhook` and `convert`, or makes the certificate of the latter two, or the load on a webhook; or a peer of a replay.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

var widgets = schema.GroupVersion{Group: "bench.example.com", Version: "v1"}

// Widget is a custom resource as large as the ConfigMaps that the other subjects reconcile.
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              WidgetSpec `json:"spec,omitempty"`
}

// WidgetSpec holds what the ConfigMaps have as their data.
type WidgetSpec struct {
	Data map[string]string `json:"data,omitempty"`
}

// WidgetList is what a list answers.
type WidgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Widget `json:"items"`
}

// DeepCopyObject copies all of it, as generated code does.
func (w *Widget) DeepCopyObject() runtime.Object {
	out := &Widget{TypeMeta: w.TypeMeta}
	w.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	if w.Spec.Data != nil {
		out.Spec.Data = make(map[string]string, len(w.Spec.Data))
		for key, value := range w.Spec.Data {
			out.Spec.Data[key] = value
		}
	}
	return out
}

// DeepCopyObject copies all of it, as generated code does.
func (l *WidgetList) DeepCopyObject() runtime.Object {
	out := &WidgetList{TypeMeta: l.TypeMeta}
	l.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range l.Items {
		out.Items = append(out.Items, *l.Items[i].DeepCopyObject().(*Widget))
	}
	return out
}

func main() {
	if err := run(ctrl.SetupSignalHandler()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	count, err := strconv.Atoi(os.Getenv("BENCH_OBJECTS"))
	if err != nil {
		return fmt.Errorf("BENCH_OBJECTS: %w", err)
	}
	config := &rest.Config{
		Host:            os.Getenv("BENCH_URL"),
		BearerToken:     os.Getenv("BENCH_TOKEN"),
		TLSClientConfig: rest.TLSClientConfig{CAData: []byte(os.Getenv("BENCH_CA"))},
	}
	log.SetLogger(log.Log.WithSink(nil))
	switch os.Getenv("BENCH_OF") {
	case "":
		return runReconcile(ctx, config, count)
	case "webhook":
		return runWebhook(ctx, config)
	case "convert":
		return runConvert(ctx, config)
	case "certificate":
		return writeCertificate(os.Getenv("BENCH_CERTS"))
	case "load":
		return runLoad(ctx, count)
	case "replay":
		return runReplay(ctx, config)
	default:
		return runApply(ctx, config, count)
	}
}

// runReconcile is the operator of the benchmark `reconcile`.
func runReconcile(ctx context.Context, config *rest.Config, count int) error {
	scheme := runtime.NewScheme()
	scheme.AddKnownTypes(widgets, &Widget{}, &WidgetList{})
	metav1.AddToGroupVersion(scheme, widgets)

	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                 scheme,
		Metrics:                server.Options{BindAddress: "0"},
		HealthProbeBindAddress: "0",
	})
	if err != nil {
		return err
	}
	reconciled := make(map[client.ObjectKey]struct{}, count)
	err = ctrl.NewControllerManagedBy(manager).For(&Widget{}).Complete(reconcile.Func(
		// One at a time, as is the default, so nothing has to be locked.
		func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
			var widget Widget
			if err := manager.GetClient().Get(ctx, request.NamespacedName, &widget); err != nil {
				return reconcile.Result{}, client.IgnoreNotFound(err)
			}
			reconciled[request.NamespacedName] = struct{}{}
			if len(reconciled) == count {
				fmt.Println("ready")
				go func() {
					debug.FreeOSMemory()
					fmt.Println("settled")
				}()
			}
			return reconcile.Result{}, nil
		},
	))
	if err != nil {
		return err
	}
	return manager.Start(ctx)
}
