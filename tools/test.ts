import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { program } from './program.ts'
import { keepBusy } from './test/busy.ts'
import { command } from './test/command.ts'
import { runSteps } from './test/run.ts'
import { allSteps, changedSteps, steps } from './test/steps.ts'

const usage = `npm test [-- --all] [--only NAME]… [--seeds N] [--seed N] [--beside N] [--list]
npm test -- --changed [BASE]
  --all         everything: real API servers, packaging, installs, all examples, all seeds of CI. It is what CI runs
  --only NAME   run this step alone, as --all does; may be given more than once
  --seeds N     how many seeds each random suite runs
  --seed N      the seed of the property tests, to run what another run ran; each run takes its own and says which
  --beside N    keep N other processes busy meanwhile: what passes only on a quiet machine fails
  --list        name the steps
  --changed     types, format and the like of all code, and the unit tests that import what changed since the commit BASE,
                uncommitted changes too (default: where this branch left main; on main, the last commit)`

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      all: { type: 'boolean', default: false },
      beside: { type: 'string', default: '0' },
      changed: { type: 'boolean' },
      only: { type: 'string', multiple: true },
      seed: { type: 'string', default: String(randomInt(2 ** 31)) },
      seeds: { type: 'string' },
      list: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) {
    console.log(usage)
    return 0
  }
  if (positionals.length > (values.changed ? 1 : 0)) throw new Error(`unknown: ${positionals.at(-1)}`)
  // A step that is asked for by name is run whole.
  const whole = values.all || values.only !== undefined
  const chosen = values.changed ? changedSteps(positionals[0] ?? (await base())) : whole ? allSteps() : steps()
  if (values.list) {
    for (const { name } of chosen) console.log(name)
    return 0
  }
  const unknown = values.only?.filter(name => !chosen.some(step => step.name === name)) ?? []
  if (unknown.length > 0)
    throw new Error(`no step ${unknown.join(', ')}; there are ${chosen.map(s => s.name).join(', ')}`)
  const options = {
    ...{ whole, isNamed: values.only !== undefined, ci: whole && process.env.CI === 'true' },
    seeds: values.seeds === undefined ? undefined : wholeNumber('seeds', values.seeds, 1),
    propertySeed: wholeNumber('seed', values.seed, 0),
  }
  const busy = keepBusy(wholeNumber('beside', values.beside, 0))
  const wanted = values.only ? chosen.filter(step => values.only?.includes(step.name)) : chosen
  const { failed } = await runSteps(wanted, options, line => console.log(line)).finally(busy.end)
  return failed === 0 ? 0 : 1
}

function wholeNumber(option: string, text: string, least: number): number {
  const value = Number(text)
  if (text === '' || !Number.isSafeInteger(value) || value < least)
    throw new Error(`--${option} takes a whole number, ${least} or more`)
  return value
}

/** The commit at which this branch left `main`; on `main` itself, the last commit. */
async function base(): Promise<string> {
  const { code, output } = await command('git', ['merge-base', 'HEAD', 'main'])
  if (code !== 0) throw new Error(`there is no commit to compare with; name one: ${output.trim()}`)
  return output.trim()
}

const unfinished = (error: unknown): never => {
  console.log('0 passed, 1 failed')
  throw error
}
await program('npm test', usage, () => main().catch(unfinished))
