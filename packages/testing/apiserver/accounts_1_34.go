//go:build kubernetes_1_34

package main

import (
	"context"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/pkg/controller/serviceaccount"
)

// newServiceAccountsController makes the controller that gives every namespace its default account. Kubernetes 1.35
// began to hand it a logger.
func newServiceAccountsController(_ context.Context, client kubernetes.Interface, factory informers.SharedInformerFactory) (*serviceaccount.ServiceAccountsController, error) {
	return serviceaccount.NewServiceAccountsController(factory.Core().V1().ServiceAccounts(),
		factory.Core().V1().Namespaces(), client, serviceaccount.DefaultServiceAccountsControllerOptions())
}
