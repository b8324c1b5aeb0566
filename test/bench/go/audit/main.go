// Command audit is the operator on controller-runtime that `wherry audit` is run with: for each Mirror it writes a ConfigMap
// with a digest of the Secret that the Mirror names.
//
// Its cache is as the manager makes it: of all Secrets and all ConfigMaps. With `-by-object NAME` the cache has the Secret of
// this name, and the ConfigMaps with the operator's label.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

var (
	arcade = schema.GroupVersion{Group: "arcade.example.com", Version: "v1"}
	ours   = map[string]string{"app.kubernetes.io/managed-by": "mirror"}
)

// Mirror names a Secret.
type Mirror struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              MirrorSpec `json:"spec"`
}

// MirrorSpec has the name of a Secret in the Mirror's namespace, and a note that nothing depends on.
type MirrorSpec struct {
	Secret string `json:"secret"`
	Note   string `json:"note,omitempty"`
}

// MirrorList is the server's answer to a list.
type MirrorList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Mirror `json:"items"`
}

// DeepCopyObject copies the whole Mirror, as generated code does.
func (m *Mirror) DeepCopyObject() runtime.Object {
	out := &Mirror{TypeMeta: m.TypeMeta, Spec: m.Spec}
	m.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return out
}

// DeepCopyObject copies the whole list, as generated code does.
func (l *MirrorList) DeepCopyObject() runtime.Object {
	out := &MirrorList{TypeMeta: l.TypeMeta}
	l.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range l.Items {
		out.Items = append(out.Items, *l.Items[i].DeepCopyObject().(*Mirror))
	}
	return out
}

func main() {
	byObject := flag.String("by-object", "", "the name of the only Secret that the cache has")
	flag.Parse()
	if err := run(ctrl.SetupSignalHandler(), *byObject); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, byObject string) error {
	log.SetLogger(log.Log.WithSink(nil))
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		return err
	}
	scheme.AddKnownTypes(arcade, &Mirror{}, &MirrorList{})
	metav1.AddToGroupVersion(scheme, arcade)

	options := ctrl.Options{Scheme: scheme, Metrics: server.Options{BindAddress: "0"}}
	if byObject != "" {
		options.Cache.ByObject = map[client.Object]cache.ByObject{
			&corev1.Secret{}:    {Field: fields.OneTermEqualSelector("metadata.name", byObject)},
			&corev1.ConfigMap{}: {Label: labels.SelectorFromSet(ours)},
		}
	}
	manager, err := ctrl.NewManager(config, options)
	if err != nil {
		return err
	}
	reconciler := &mirrors{client: manager.GetClient(), scheme: scheme}
	err = ctrl.NewControllerManagedBy(manager).
		For(&Mirror{}).
		Owns(&corev1.ConfigMap{}).
		Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(reconciler.thatName)).
		Complete(reconciler)
	if err != nil {
		return err
	}
	return manager.Start(ctx)
}

type mirrors struct {
	client client.Client
	scheme *runtime.Scheme
}

// thatName returns the Mirrors that name a Secret.
func (m *mirrors) thatName(ctx context.Context, secret client.Object) []reconcile.Request {
	var all MirrorList
	if err := m.client.List(ctx, &all, client.InNamespace(secret.GetNamespace())); err != nil {
		return nil
	}
	var requests []reconcile.Request
	for i := range all.Items {
		if all.Items[i].Spec.Secret == secret.GetName() {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&all.Items[i])})
		}
	}
	return requests
}

func (m *mirrors) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	var mirror Mirror
	if err := m.client.Get(ctx, request.NamespacedName, &mirror); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	var secret corev1.Secret
	key := client.ObjectKey{Namespace: mirror.Namespace, Name: mirror.Spec.Secret}
	if err := m.client.Get(ctx, key, &secret); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	digest := sha256.Sum256(secret.Data["key"])
	written := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: mirror.Namespace, Name: mirror.Name + "-mirror"}}
	_, err := controllerutil.CreateOrUpdate(ctx, m.client, written, func() error {
		written.Labels = ours
		written.Data = map[string]string{"digest": hex.EncodeToString(digest[:])}
		return controllerutil.SetControllerReference(&mirror, written, m.scheme)
	})
	if err == nil {
		fmt.Println("mirrored", mirror.Name, mirror.Spec.Note)
	}
	return reconcile.Result{}, err
}
