/**
 * Plays published cases at full size on a real API server: `npm run replays [-- K1 K3] [--tenth] [--runs N] [--json | --markdown]`, or
 * `--from FILE --markdown`: the tables of what an earlier run gave with `--json`.
 * Progress goes to stderr; figures go to stdout. Ends with 1 if a program failed.
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { play, type Row } from './harness/play.ts'
import { jsonLines, rowsIn, tableOf } from './harness/report.ts'
import { memoryReplays } from './index.ts'

const USAGE = 'usage: npm run replays [-- ID …] [--tenth] [--runs N] [--json | --markdown] | --from FILE [--markdown]'

async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: args.filter(arg => arg !== '--'),
    allowPositionals: true,
    options: {
      tenth: { type: 'boolean', default: false },
      runs: { type: 'string', default: '3' },
      json: { type: 'boolean', default: false },
      markdown: { type: 'boolean', default: false },
      from: { type: 'string' },
    },
  })
  const known = Object.keys(memoryReplays)
  const unknown = positionals.filter(id => !known.includes(id))
  const runs = Number(values.runs)
  if (unknown.length > 0 || !Number.isSafeInteger(runs) || runs < 1) {
    const wrong = unknown.length > 0 ? `no such case: ${unknown.join(', ')}` : '--runs takes a whole number above 0'
    console.error(`${wrong}\n${USAGE}\ncases with figures of memory: ${known.join(', ')}`)
    return 2
  }
  const earlier = values.from === undefined ? undefined : rowsIn(readFileSync(values.from, 'utf8'))
  for (const id of positionals.length > 0 ? positionals : known) {
    const replay = await memoryReplays[id]?.()
    if (replay === undefined) continue
    const rows =
      earlier === undefined
        ? await play(replay, { runs, part: values.tenth ? 0.1 : 1, say: line => console.error(line) })
        : earlier.filter((row: Row) => row.replay === id)
    if (rows.length === 0) continue
    if (values.json) for (const line of jsonLines(rows)) console.log(line)
    else console.log(tableOf(replay, rows, values.markdown))
  }
  return 0
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
