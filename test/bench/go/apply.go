package main

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// runApply is the operator of the benchmark `apply`: it makes one object for each Widget of a namespace, as people write it
// in Go, by CreateOrUpdate. BENCH_OF says of which kind, BENCH_MODE whether it is to create them fast.
func runApply(ctx context.Context, config *rest.Config, count int) error {
	namespace := os.Getenv("BENCH_NAMESPACE")
	scheme := runtime.NewScheme()
	if err := clientscheme.AddToScheme(scheme); err != nil {
		return err
	}
	scheme.AddKnownTypes(widgets, &Widget{}, &WidgetList{})
	metav1.AddToGroupVersion(scheme, widgets)
	workers := 1
	// The limit of the client would be measured, and not the runtime.
	config.QPS = -1
	if os.Getenv("BENCH_MODE") == "create" {
		workers = 16
	}
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                 scheme,
		Cache:                  cache.Options{DefaultNamespaces: map[string]cache.Config{namespace: {}}},
		Metrics:                server.Options{BindAddress: "0"},
		HealthProbeBindAddress: "0",
	})
	if err != nil {
		return err
	}
	reconciled := make(chan types.NamespacedName, workers)
	apply, owned := applyConfigMap, client.Object(&corev1.ConfigMap{})
	if os.Getenv("BENCH_OF") == "deployments" {
		apply, owned = applyDeployment, &appsv1.Deployment{}
	}
	again := make(chan event.GenericEvent, count)
	err = ctrl.NewControllerManagedBy(manager).
		For(&Widget{}).
		Owns(owned).
		WatchesRawSource(source.Channel(again, &handler.EnqueueRequestForObject{}, source.WithBufferSize[client.Object, reconcile.Request](count))).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers}).
		Complete(reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
			var widget Widget
			if err := manager.GetClient().Get(ctx, request.NamespacedName, &widget); err != nil {
				return reconcile.Result{}, client.IgnoreNotFound(err)
			}
			if err := apply(ctx, manager.GetClient(), scheme, &widget); err != nil {
				return reconcile.Result{}, err
			}
			reconciled <- request.NamespacedName
			return reconcile.Result{}, nil
		}))
	if err != nil {
		return err
	}
	go report(count, reconciled, again)
	return manager.Start(ctx)
}

// report says `ready` when every Widget was reconciled, `settled` when the memory that can be given back was, and
// `resync MS` when all have run once more.
func report(count int, reconciled <-chan types.NamespacedName, again chan<- event.GenericEvent) {
	first := untilAll(count, reconciled)
	fmt.Println("ready")
	debug.FreeOSMemory()
	fmt.Println("settled")
	begin := time.Now()
	for key := range first {
		again <- event.GenericEvent{Object: &Widget{ObjectMeta: metav1.ObjectMeta{Name: key.Name, Namespace: key.Namespace}}}
	}
	untilAll(count, reconciled)
	fmt.Printf("resync %f\n", float64(time.Since(begin).Microseconds())/1000)
	for range reconciled {
	}
}

func untilAll(count int, reconciled <-chan types.NamespacedName) map[types.NamespacedName]struct{} {
	all := make(map[types.NamespacedName]struct{}, count)
	for len(all) < count {
		all[<-reconciled] = struct{}{}
	}
	return all
}

func applyConfigMap(ctx context.Context, writer client.Client, scheme *runtime.Scheme, widget *Widget) error {
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: widget.Name, Namespace: widget.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, writer, object, func() error {
		metav1.SetMetaDataLabel(&object.ObjectMeta, "app", "bench")
		object.Data = make(map[string]string, 10)
		for i := range 10 {
			object.Data["key-"+strconv.Itoa(i)] = strings.Repeat(widget.Name+" ", 14)
		}
		return controllerutil.SetControllerReference(widget, object, scheme)
	})
	return err
}

func applyDeployment(ctx context.Context, writer client.Client, scheme *runtime.Scheme, widget *Widget) error {
	object := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: widget.Name, Namespace: widget.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, writer, object, func() error {
		metav1.SetMetaDataLabel(&object.ObjectMeta, "app", "bench")
		labels := map[string]string{"app": widget.Name}
		replicas := int32(2)
		object.Spec.Replicas = &replicas
		object.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
		object.Spec.Template.Labels = labels
		// Field by field: what the server has filled in stays, so that nothing differs the next time.
		if len(object.Spec.Template.Spec.Containers) != 1 {
			object.Spec.Template.Spec.Containers = make([]corev1.Container, 1)
		}
		container := &object.Spec.Template.Spec.Containers[0]
		container.Name = "web"
		container.Image = "example.com/web:1.2.3"
		container.Ports = []corev1.ContainerPort{{Name: "http", ContainerPort: 8080, Protocol: corev1.ProtocolTCP}}
		container.Env = []corev1.EnvVar{{Name: "NAME", Value: widget.Name}, {Name: "LEVEL", Value: "info"}}
		container.Resources.Requests = corev1.ResourceList{
			corev1.ResourceCPU:    resource.MustParse("100m"),
			corev1.ResourceMemory: resource.MustParse("64Mi"),
		}
		container.Resources.Limits = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("128Mi")}
		return controllerutil.SetControllerReference(widget, object, scheme)
	})
	return err
}
