import { parseArgs } from 'node:util'
import { program } from './program.ts'
import { command } from './test/command.ts'
import { runSteps } from './test/run.ts'
import { changedSteps, steps } from './test/steps.ts'

const usage = `npm test [-- --only NAME]… [--seeds N] [--list]
npm test -- --changed [BASE]
  --only NAME   run this step alone; may be given more than once
  --seeds N     how many seeds each random suite runs
  --list        name the steps
  --changed     types, format and the like of all code, and the unit tests that import what changed since the commit BASE,
                uncommitted changes too (default: where this branch left main; on main, the last commit)`

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      changed: { type: 'boolean' },
      only: { type: 'string', multiple: true },
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
  const all = values.changed ? changedSteps(positionals[0] ?? (await base())) : steps()
  if (values.list) {
    for (const { name } of all) console.log(name)
    return 0
  }
  const unknown = values.only?.filter(name => !all.some(step => step.name === name)) ?? []
  if (unknown.length > 0) throw new Error(`no step ${unknown.join(', ')}; there are ${all.map(s => s.name).join(', ')}`)
  const seeds = values.seeds === undefined ? undefined : Number(values.seeds)
  if (seeds !== undefined && !(Number.isInteger(seeds) && seeds > 0)) throw new Error('--seeds takes a whole number')
  const chosen = values.only ? all.filter(step => values.only?.includes(step.name)) : all
  const options = { seeds, ci: process.env.CI === 'true' }
  const { failed } = await runSteps(chosen, options, line => console.log(line))
  return failed === 0 ? 0 : 1
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
