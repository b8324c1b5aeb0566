package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand"
	"sort"

	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
)

// Prints `rounds` random objects of each kind: the kind, its body in protobuf, and its JSON, both as Go's clients write them.
func printObjects(schemes []*runtime.Scheme, rounds int, seed int64) {
	for _, one := range schemes {
		kinds := []schema.GroupVersionKind{}
		for kind, t := range one.AllKnownTypes() {
			if isBody(kind, t) {
				kinds = append(kinds, kind)
			}
		}
		sort.Slice(kinds, func(i, j int) bool { return kinds[i].String() < kinds[j].String() })
		fill := fuzzer.FuzzerFor(metafuzzer.Funcs, rand.NewSource(seed), serializer.NewCodecFactory(one))
		encoder := protobuf.NewSerializer(one, one)
		for range rounds {
			for _, kind := range kinds {
				object, err := one.New(kind)
				must(err)
				fill.Fill(object)
				object.GetObjectKind().SetGroupVersionKind(kind)
				body, err := runtime.Encode(encoder, object)
				must(err)
				text, err := json.Marshal(object)
				must(err)
				fmt.Printf("%s/%s\t%s\t%s\n", kind.GroupVersion(), kind.Kind, base64.StdEncoding.EncodeToString(body), text)
			}
		}
	}
}
