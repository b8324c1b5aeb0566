// Answers questions about schedules, each a line of JSON, with a line each: the times that a CronJob finds, or that it refuses the expression.
package main

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"time"
	_ "time/tzdata"

	"github.com/robfig/cron/v3"
)

type question struct {
	Cron  string
	Zone  string
	After []int64
	Count int
}

type answer struct {
	Times [][]int64 `json:"times,omitempty"`
	Error string    `json:"error,omitempty"`
}

var withSeconds = cron.NewParser(cron.Second | cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow)

func parse(text string, zone string) (cron.Schedule, error) {
	if len(strings.Fields(text)) == 6 {
		return withSeconds.Parse("TZ=" + zone + " " + text)
	}
	// As the controller of CronJobs does it.
	if _, err := cron.ParseStandard(text); err != nil {
		return nil, err
	}
	return cron.ParseStandard("TZ=" + zone + " " + text)
}

func reply(asked question) answer {
	schedule, err := parse(asked.Cron, asked.Zone)
	if err != nil {
		return answer{Error: err.Error()}
	}
	all := [][]int64{}
	for _, after := range asked.After {
		times := []int64{}
		at := time.UnixMilli(after)
		for range asked.Count {
			at = schedule.Next(at)
			if at.IsZero() {
				break
			}
			times = append(times, at.UnixMilli())
		}
		all = append(all, times)
	}
	return answer{Times: all}
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	for lines.Scan() {
		var asked question
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			panic(err)
		}
		if err := encoder.Encode(reply(asked)); err != nil {
			panic(err)
		}
	}
}
