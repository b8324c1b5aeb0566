package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// The content types of answers, for a client that says in which it reads.
type answers struct {
	next http.RoundTripper
	seen func(method, contentType string)
}

func (a answers) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := a.next.RoundTrip(request)
	if err == nil {
		a.seen(request.Method, strings.TrimPrefix(response.Header.Get("Content-Type"), "application/"))
	}
	return response, err
}

// typed does with a typed client what operators do, and prints each step with the content type of its answer.
func typed(kubeconfig, namespace string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	last := ""
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return answers{next, func(method, contentType string) { last = method + " " + contentType }}
	})
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	ctx := context.Background()
	maps := client.CoreV1().ConfigMaps(namespace)
	say := func(what string, object *v1.ConfigMap, err error) error {
		if err == nil {
			fmt.Println(what, last, object.Name, object.Data["n"])
		}
		return err
	}
	object := &v1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Data: map[string]string{"n": "1"}}
	object, err = maps.Create(ctx, object, metav1.CreateOptions{})
	if err := say("created", object, err); err != nil {
		return err
	}
	list, err := maps.List(ctx, metav1.ListOptions{FieldSelector: "metadata.name=a"})
	if err != nil {
		return err
	}
	if err := say("listed", &list.Items[0], nil); err != nil {
		return err
	}
	watching, err := maps.Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion, FieldSelector: "metadata.name=a"})
	if err != nil {
		return err
	}
	defer watching.Stop()
	fmt.Println("watches", last)
	object.Data["n"] = "2"
	object, err = maps.Update(ctx, object, metav1.UpdateOptions{})
	if err := say("updated", object, err); err != nil {
		return err
	}
	patch := []byte(`{"data":{"n":"3"}}`)
	object, err = maps.Patch(ctx, "a", types.StrategicMergePatchType, patch, metav1.PatchOptions{})
	if err := say("patched", object, err); err != nil {
		return err
	}
	object, err = maps.Get(ctx, "a", metav1.GetOptions{})
	if err := say("read", object, err); err != nil {
		return err
	}
	if err := maps.Delete(ctx, "a", metav1.DeleteOptions{}); err != nil {
		return err
	}
	fmt.Println("deleted", last)
	for event := range watching.ResultChan() {
		fmt.Println("event", event.Type, event.Object.(*v1.ConfigMap).Data["n"])
		if event.Type == watch.Deleted {
			break
		}
	}
	_, err = maps.Get(ctx, "a", metav1.GetOptions{})
	fmt.Println("refused", last, errors.IsNotFound(err), err)
	return nil
}
