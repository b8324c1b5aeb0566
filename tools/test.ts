import { parseArgs } from 'node:util'
import { program } from './program.ts'
import { runSteps } from './test/run.ts'
import { steps } from './test/steps.ts'

const usage = `npm test [-- --only NAME]… [--seeds N] [--list]
  --only NAME   run this step alone; may be given more than once
  --seeds N     how many seeds each random suite runs
  --list        name the steps`

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
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
  const all = steps()
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

const unfinished = (error: unknown): never => {
  console.log('0 passed, 1 failed')
  throw error
}
await program('npm test', usage, () => main().catch(unfinished))
