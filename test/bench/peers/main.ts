/**
 * Measures the ported examples next to programs of ours on client-node that behave as the originals do, and prints a table for each:
 * `npm run peers`, or `npm run peers -- supervisor --runs 1`. Each figure is the median of three runs. It takes half an hour.
 */
import { parseArgs } from 'node:util'
import { deployedOptions } from '../harness/deployed.ts'
import { summarise } from '../harness/statistics.ts'
import { type AtRest, atRest } from './at-rest.ts'
import { codeLinesOf } from './code-lines.ts'
import { faults } from './faults.ts'
import { claimOfSomebodyElse, reaction } from './reactions.ts'
import { type Example, examples, oursOf, peerOf } from './scenes.ts'

/** A row's name, with the cells of client-node and of Wherry. */
type Row = readonly [name: string, theirs: string, ours: string]
type Pair<T> = readonly [theirs: T, ours: T]

/** Measures an example. Returns each row once it is measured: an interrupted run has its first rows. */
async function* rowsOf(example: Example, runs: number): AsyncIterable<Row> {
  const { name, files, title } = example
  const mains: Pair<string> = [peerOf(name), oursOf(name)]
  const both = async <T>(what: string, measure: (main: string, side: number) => Promise<T>): Promise<Pair<T>[]> => {
    const pairs: Pair<T>[] = []
    for (let run = 1; run <= runs; run++) {
      console.error(`${name}: ${what}, run ${run} of ${runs}`)
      // One after the other: neither takes processor time from the other.
      pairs.push([await measure(mains[0], 0), await measure(mains[1], 1)])
    }
    return pairs
  }
  const resting = (nodeDefaults: boolean) =>
    both(nodeDefaults ? "Node's defaults" : title, (main, side) =>
      atRest(example, { main, nodeDefaults, neverRests: side === 0 && example.peerNeverRests }),
    )
  yield ['lines of code', `${codeLinesOf([mains[0]])}`, `${codeLinesOf(files)}`]
  const row = (what: string, pairs: readonly Pair<AtRest>[], field: keyof AtRest): Row => [
    `${title}: ${what}`,
    whole(pairs.map(pair => pair[0][field])),
    whole(pairs.map(pair => pair[1][field])),
  ]
  const deployed = await resting(false)
  yield row('requests in an hour at rest (120 × half a minute)', deployed, 'requests')
  yield row('RSS, MB', deployed, 'rss')
  yield row('heap after a full collection, MB', deployed, 'heap')
  yield row("RSS with Node's defaults, MB", await resting(true), 'rss')
  for (const fault of Object.keys(faults)) {
    const pairs = await both(fault, main => reaction(example, main, fault))
    const [theirs, ours] = [pairs.map(pair => pair[0]), pairs.map(pair => pair[1])]
    yield [`${example.reaction} after ${fault}`, seconds(theirs), seconds(ours)]
  }
  if (name === 'tenants') {
    const what = 'a claim of somebody else, once the workspace of its name is deleted'
    yield [what, await claimOfSomebodyElse(mains[0]), await claimOfSomebodyElse(mains[1])]
  }
}

function whole(values: readonly number[]): string {
  return Math.round(summarise(values).median).toLocaleString('en')
}

function seconds(values: readonly number[]): string {
  const middle = values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
  return Number.isFinite(middle) ? `${middle.toFixed(1)} s` : 'not within a minute'
}

const options = { runs: { type: 'string', default: '3' } } as const
const { values, positionals } = parseArgs({ allowPositionals: true, options })
const runs = Number(values.runs)
const unknown = positionals.filter(name => !examples.some(example => example.name === name))
if (unknown.length > 0 || !Number.isSafeInteger(runs) || runs < 1) {
  console.error(`usage: npm run peers -- [${examples.map(({ name }) => name).join('] [')}] [--runs N]`)
  process.exitCode = 2
} else {
  console.log(
    `Node ${process.versions.node} with NODE_OPTIONS=${deployedOptions.join(' ')} for both sides; median of ${runs}`,
  )
  for (const example of examples) {
    if (positionals.length > 0 && !positionals.includes(example.name)) continue
    console.log(`\n| ${example.name} | client-node | Wherry |\n| --- | ---: | ---: |`)
    for await (const row of rowsOf(example, runs)) console.log(`| ${row.join(' | ')} |`)
  }
}
