// Reads texts of YAML, each a JSON string on a line, and answers each with a line: what kubectl makes of it as JSON, or why it refuses it.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"

	"sigs.k8s.io/yaml"
)

type answer struct {
	JSON  any    `json:"json,omitempty"`
	Error string `json:"error,omitempty"`
}

func read(text string) answer {
	found, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return answer{Error: err.Error()}
	}
	var value any
	decoder := json.NewDecoder(bytes.NewReader(found))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		panic(err)
	}
	return answer{JSON: packed(value)}
}

// packed has each map as a list of its entries behind "map", and each list behind "list": keys are read again as what they are.
func packed(value any) any {
	switch value := value.(type) {
	case map[string]any:
		all := []any{"map"}
		for key, one := range value {
			all = append(all, []any{key, packed(one)})
		}
		return all
	case []any:
		all := []any{"list"}
		for _, one := range value {
			all = append(all, packed(one))
		}
		return all
	}
	return value
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var text string
		if err := json.Unmarshal(lines.Bytes(), &text); err != nil {
			panic(err)
		}
		if err := out.Encode(read(text)); err != nil {
			panic(err)
		}
	}
	if err := lines.Err(); err != nil {
		panic(err)
	}
}
