package main

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/keyutil"
	"k8s.io/controller-manager/pkg/informerfactory"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/certificates/rootcacertpublisher"
	"k8s.io/kubernetes/pkg/controller/garbagecollector"
	"k8s.io/kubernetes/pkg/controller/namespace"
	serviceaccountcontroller "k8s.io/kubernetes/pkg/controller/serviceaccount"
	"k8s.io/kubernetes/pkg/serviceaccount"
)

type controllerOptions struct {
	kubeconfig string
	signingKey string
	// clusterObjects says whether each namespace gets its default account and the CA of the server.
	clusterObjects bool
}

// discoveryPeriod is how soon the garbage collector hears of a new kind. kube-controller-manager takes 30 s.
const discoveryPeriod = 2 * time.Second

// runControllers waits for the API server, then runs kube-controller-manager's controllers of namespaces, garbage,
// service accounts and the CA of the server as that program does. It returns only when it fails to start, or the
// context ends.
func runControllers(ctx context.Context, options controllerOptions) error {
	config, err := clientcmd.BuildConfigFromFlags("", options.kubeconfig)
	if err != nil {
		return err
	}
	config.QPS = 1000
	config.Burst = 2000
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	metadataClient, err := metadata.NewForConfig(config)
	if err != nil {
		return err
	}
	if err := waitUntilReady(ctx, client); err != nil {
		return err
	}

	typed := informers.NewSharedInformerFactory(client, 0)
	untyped := metadatainformer.NewSharedInformerFactory(metadataClient, 0)
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client.Discovery()))

	namespaces := namespace.NewNamespaceController(ctx, client, metadataClient,
		client.Discovery().ServerPreferredNamespacedResources, typed.Core().V1().Namespaces(), 5*time.Minute, v1.FinalizerKubernetes)

	key, err := keyutil.PrivateKeyFromFile(options.signingKey)
	if err != nil {
		return err
	}
	generator, err := serviceaccount.JWTTokenGenerator(serviceaccount.LegacyIssuer, key)
	if err != nil {
		return err
	}
	tokens, err := serviceaccountcontroller.NewTokensController(klog.FromContext(ctx), typed.Core().V1().ServiceAccounts(),
		typed.Core().V1().Secrets(), client, serviceaccountcontroller.TokensControllerOptions{TokenGenerator: generator, RootCA: config.CAData})
	if err != nil {
		return err
	}

	completeNamespaces := func() {}
	if options.clusterObjects {
		accounts, err := newServiceAccountsController(ctx, client, typed)
		if err != nil {
			return err
		}
		authority, err := rootcacertpublisher.NewPublisher(typed.Core().V1().ConfigMaps(), typed.Core().V1().Namespaces(),
			client, config.CAData)
		if err != nil {
			return err
		}
		completeNamespaces = func() {
			go accounts.Run(ctx, 1)
			go authority.Run(ctx, 1)
		}
	}

	started := make(chan struct{})
	ignored := map[schema.GroupResource]struct{}{}
	for resource := range garbagecollector.DefaultIgnoredResources() {
		ignored[resource] = struct{}{}
	}
	collector, err := garbagecollector.NewGarbageCollector(ctx, client, metadataClient, mapper, ignored,
		informerfactory.NewInformerFactory(typed, untyped), started)
	if err != nil {
		return err
	}

	go namespaces.Run(ctx, 10)
	completeNamespaces()
	go tokens.Run(ctx, 5)
	go collector.Run(ctx, 20, discoveryPeriod)
	go collector.Sync(ctx, client.Discovery(), discoveryPeriod)
	typed.Start(ctx.Done())
	untyped.Start(ctx.Done())
	close(started)
	<-ctx.Done()
	return nil
}

// waitUntilReady asks for /readyz until it says yes: the post-start hooks make the roles and namespaces that controllers need.
func waitUntilReady(ctx context.Context, client kubernetes.Interface) error {
	return wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		_, err := client.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
		return err == nil, nil
	})
}
