package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

// inform runs a shared informer of ConfigMaps until stdin ends. Streaming lists are client-go's own default.
func inform(kubeconfig, namespace string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()

	factory := informers.NewSharedInformerFactoryWithOptions(client, time.Hour, informers.WithNamespace(namespace))
	informer := factory.Core().V1().ConfigMaps().Informer()
	say := func(what string) func(object any) {
		return func(object any) {
			if gone, ok := object.(cache.DeletedFinalStateUnknown); ok {
				object = gone.Obj
			}
			configMap := object.(*v1.ConfigMap)
			fmt.Println(what, configMap.Name, configMap.Data["n"])
		}
	}
	updated := say("updated")
	_, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: say("added"),
		UpdateFunc: func(old, object any) {
			if old.(*v1.ConfigMap).ResourceVersion != object.(*v1.ConfigMap).ResourceVersion {
				updated(object)
			}
		},
		DeleteFunc: say("deleted"),
	})
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return fmt.Errorf("not synced")
	}
	fmt.Println("synced")
	<-ctx.Done()
	return nil
}
