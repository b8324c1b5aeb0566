// Prints how Kubernetes' Go types are written in protobuf, and what JSON they are: a line for each message, and one for each kind.
// packages/apiserver/src/generated/protobuf-messages.ts explains the notation.
package main

import (
	"flag"
	"fmt"
	"reflect"
	"slices"
	"sort"
	"strings"

	apidiscovery "k8s.io/api/apidiscovery/v2"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	aggregator "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

// Messages whose JSON is not that of their fields. The decoder knows each by its name.
var special = map[string]bool{
	"apiextensions.v1.JSON":                   true,
	"apiextensions.v1.JSONSchemaPropsOrArray": true,
	"apiextensions.v1.JSONSchemaPropsOrBool":  true,
	"meta.v1.Duration":                        true,
	"meta.v1.FieldsV1":                        true,
	"meta.v1.MicroTime":                       true,
	"meta.v1.Time":                            true,
	"resource.Quantity":                       true,
	"runtime.RawExtension":                    true,
	"intstr.IntOrString":                      true,
}

var messages = map[string]string{}

func name(t reflect.Type) string {
	parts := strings.Split(t.PkgPath(), "/")
	last := parts[len(parts)-1]
	if len(parts) > 1 && strings.HasPrefix(last, "v") && last != "validation" {
		return parts[len(parts)-2] + "." + last + "." + t.Name()
	}
	return last + "." + t.Name()
}

func isMessage(t reflect.Type) bool {
	_, found := reflect.PointerTo(t).MethodByName("MarshalToSizedBuffer")
	return found
}

// What a value is, after its pointers: `s` text, `b` bytes, `t` true or false, `i` integer, `d` double, else a message.
func valueOf(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.Struct || isMessage(t) {
		visit(t)
		return name(t)
	}
	switch t.Kind() {
	case reflect.String:
		return "s"
	case reflect.Bool:
		return "t"
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint32, reflect.Uint64:
		return "i"
	case reflect.Float32, reflect.Float64:
		return "d"
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "b"
		}
		return "[]" + valueOf(t.Elem())
	case reflect.Map:
		return "{}" + valueOf(t.Elem())
	}
	panic(fmt.Sprintf("no notation for %v", t))
}

func visit(t reflect.Type) {
	key := name(t)
	if _, known := messages[key]; known {
		return
	}
	messages[key] = ""
	if special[key] {
		if key == "apiextensions.v1.JSONSchemaPropsOrArray" || key == "apiextensions.v1.JSONSchemaPropsOrBool" {
			visit(reflect.TypeFor[apiextensions.JSONSchemaProps]())
		}
		return
	}
	if t.Kind() == reflect.Slice {
		messages[key] = "1=[]" + valueOf(t.Elem())
		return
	}
	fields := []string{}
	for i := range t.NumField() {
		field := t.Field(i)
		number := strings.Split(field.Tag.Get("protobuf"), ",")
		if len(number) < 2 {
			continue
		}
		json := strings.Split(field.Tag.Get("json"), ",")
		text := number[1] + json[0] + "=" + nullable(field.Type) + valueOf(field.Type)
		if isKept(field.Type, json[1:]) {
			text += "!"
		}
		fields = append(fields, text)
	}
	messages[key] = strings.Join(fields, " ")
}

// Whether Go can leave the field out of the bytes: it writes the zero values of all others.
func nullable(t reflect.Type) string {
	if t.Kind() == reflect.Pointer || (isMessage(t) && t.Kind() != reflect.Struct) {
		return "*"
	}
	return ""
}

// Whether Go writes the field in JSON, if it is in the message, even if it is empty: a struct that is no pointer is never empty for omitempty.
func isKept(t reflect.Type, options []string) bool {
	if t.Kind() == reflect.Pointer || slices.Contains(options, "inline") {
		return true
	}
	if slices.Contains(options, "omitzero") {
		return false
	}
	return !slices.Contains(options, "omitempty") || t.Kind() == reflect.Struct
}

func main() {
	schemes := []*runtime.Scheme{scheme.Scheme, runtime.NewScheme()}
	must(apiextensions.AddToScheme(schemes[1]))
	must(aggregator.AddToScheme(schemes[1]))
	must(metav1.AddMetaToScheme(schemes[1]))
	must(apidiscovery.AddToScheme(schemes[1]))
	rounds := flag.Int("objects", 0, "print so many random objects of each kind instead")
	seed := flag.Int64("seed", 1, "of the random objects")
	flag.Parse()
	if *rounds > 0 {
		printObjects(schemes, *rounds, *seed)
		return
	}
	kinds := map[string]string{}
	for _, one := range schemes {
		for kind, t := range one.AllKnownTypes() {
			if !isBody(kind, t) {
				continue
			}
			visit(t)
			kinds[kind.GroupVersion().String()+"/"+kind.Kind] = name(t)
		}
	}
	print("message", messages)
	print("kind", kinds)
}

// Lists that are no lists of objects: what a server says that it serves.
var discovery = []string{"APIGroupList", "APIResourceList", "APIGroupDiscoveryList"}

// Whether clients and servers send objects of the kind. A list of objects has the same two fields whatever it lists.
func isBody(kind schema.GroupVersionKind, t reflect.Type) bool {
	isList := strings.HasSuffix(kind.Kind, "List") && !slices.Contains(discovery, kind.Kind)
	return kind.Version != runtime.APIVersionInternal && !isList && kind.Kind != "WatchEvent" && isMessage(t)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func print(what string, all map[string]string) {
	keys := []string{}
	for key := range all {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	for _, key := range keys {
		fmt.Printf("%s\t%s\t%s\n", what, key, all[key])
	}
}
