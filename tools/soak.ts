import { parseArgs } from 'node:util'
import { program } from './program.ts'
import { soak } from './soak/rounds.ts'
import { suites } from './soak/suites.ts'
import { bin, command, toolEnvironment } from './test/command.ts'

const usage = `npm run soak -- SUITE [--minutes N] [--first SEED]
npm run soak -- --list
  --minutes N    how long, in minutes; at most a minute more is taken (20)
  --first SEED   the first seed; each run takes its own by default, and says which
  --list         names the suites
A suite is declared in a package.json, "wherry": { "soak": { "NAME": "src/some.test.ts" } }; its tests take how many
seeds to run from WHERRY_SEEDS and the first of them from WHERRY_FIRST_SEED.`

function wholeNumber(option: string, text: string): number {
  const value = Number(text)
  if (text === '' || !Number.isSafeInteger(value) || value < 0) throw new Error(`--${option} takes a whole number`)
  return value
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      minutes: { type: 'string', default: '20' },
      first: { type: 'string', default: String(Math.floor(Date.now() / 1000)) },
      list: { type: 'boolean' },
    },
  })
  const known = suites()
  if (values.list) {
    for (const [name, file] of known) console.log(`${name}  ${file}`)
    return 0
  }
  const [name = '', ...more] = positionals
  const file = known.get(name)
  if (file === undefined || more.length > 0)
    throw new Error(`name one suite; there are: ${[...known.keys()].join(', ')}`)
  const firstSeed = wholeNumber('first', values.first)
  const minutes = wholeNumber('minutes', values.minutes)
  console.log(`${name}: ${minutes} min from seed ${firstSeed}`)
  const run = async (first: number, seeds: number, limitMs: number): Promise<{ failed: boolean; output: string }> => {
    const env = toolEnvironment({ WHERRY_SEEDS: String(seeds), WHERRY_FIRST_SEED: String(first), WHERRY_SOAK: '1' })
    const args = ['run', file, `--testTimeout=${Math.ceil(limitMs)}`, '--passWithNoTests=false']
    const { code, output } = await command(bin('vitest'), args, { env, limitMs: limitMs + 10_000 })
    return { failed: code !== 0, output }
  }
  const { seeds, failure } = await soak({ firstSeed, minutes, run, say: line => console.log(`${name}: ${line}`) })
  if (failure === undefined) return 0
  console.log(`${name}: failed after ${seeds} good seeds from ${firstSeed}, ${failure}`)
  return 1
}

await program('npm run soak', usage, main)
