package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// replayPeer is what a replay says of an operator in Go.
type replayPeer struct {
	Kinds      []string `json:"kinds"`
	Keeps      string   `json:"keeps"`
	Namespaces []string `json:"namespaces"`
	Reads      []string `json:"reads"`
}

// kindsOfCore are the kinds that a peer may cache.
var kindsOfCore = map[string]func() (client.Object, string){
	"pods":       func() (client.Object, string) { return &corev1.Pod{}, "Pod" },
	"secrets":    func() (client.Object, string) { return &corev1.Secret{}, "Secret" },
	"nodes":      func() (client.Object, string) { return &corev1.Node{}, "Node" },
	"configmaps": func() (client.Object, string) { return &corev1.ConfigMap{}, "ConfigMap" },
	"services":   func() (client.Object, string) { return &corev1.Service{}, "Service" },
	"events":     func() (client.Object, string) { return &corev1.Event{}, "Event" },
}

// runReplay caches what BENCH_PEER names, and says `ready` when all of it is there and `settled` when it has given memory back.
func runReplay(ctx context.Context, config *rest.Config) error {
	var peer replayPeer
	if err := json.Unmarshal([]byte(os.Getenv("BENCH_PEER")), &peer); err != nil {
		return fmt.Errorf("BENCH_PEER: %w", err)
	}
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		return err
	}
	options := cache.Options{DefaultTransform: transformOf(peer.Keeps)}
	if len(peer.Namespaces) > 0 {
		options.DefaultNamespaces = map[string]cache.Config{}
		for _, namespace := range peer.Namespaces {
			options.DefaultNamespaces[namespace] = cache.Config{}
		}
	}
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                 scheme,
		Cache:                  options,
		Metrics:                server.Options{BindAddress: "0"},
		HealthProbeBindAddress: "0",
	})
	if err != nil {
		return err
	}
	go func() {
		if err := fillCaches(ctx, manager, peer); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println("ready")
		debug.FreeOSMemory()
		fmt.Println("settled")
	}()
	return manager.Start(ctx)
}

func fillCaches(ctx context.Context, manager ctrl.Manager, peer replayPeer) error {
	for _, name := range peer.Kinds {
		object, kind := kindsOfCore[name]()
		if peer.Keeps == "metadata" || peer.Keeps == "keys" {
			partial := &metav1.PartialObjectMetadata{}
			partial.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind(kind))
			object = partial
		}
		if _, err := manager.GetCache().GetInformer(ctx, object); err != nil {
			return err
		}
	}
	// GetInformer does not wait before the cache has started.
	if !manager.GetCache().WaitForCacheSync(ctx) {
		return fmt.Errorf("the caches of %v have not synced", peer.Kinds)
	}
	for _, key := range peer.Reads {
		namespace, name, _ := strings.Cut(key, "/")
		var object client.Object = &corev1.Secret{}
		if namespace == "" {
			object = &corev1.Node{}
		}
		read := client.ObjectKey{Namespace: namespace, Name: name}
		if err := manager.GetAPIReader().Get(ctx, read, object); client.IgnoreNotFound(err) != nil {
			return err
		}
	}
	return nil
}

// transformOf drops what an operator does not need before it is cached.
func transformOf(keeps string) func(any) (any, error) {
	return func(object any) (any, error) {
		switch typed := object.(type) {
		case *corev1.Pod:
			if keeps == "phase" {
				status := corev1.PodStatus{Phase: typed.Status.Phase, Conditions: typed.Status.Conditions}
				typed.ManagedFields, typed.Annotations, typed.Status = nil, nil, status
				typed.Spec = corev1.PodSpec{NodeName: typed.Spec.NodeName}
			}
		case *metav1.PartialObjectMetadata:
			if keeps == "keys" {
				typed.ObjectMeta = metav1.ObjectMeta{
					Name:            typed.Name,
					Namespace:       typed.Namespace,
					UID:             typed.UID,
					ResourceVersion: typed.ResourceVersion,
				}
			}
		}
		return object, nil
	}
}
