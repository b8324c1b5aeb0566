import { join } from 'node:path'
import type { Client } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { startApiServer } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { sharedRealServer } from '@wherry/testing/real/testkit/shared'
import { WatchManager } from '@wherry/watch-manager'
import { describe, expect, it, vi } from 'vitest'
import { onStage, type Tokens } from '../../tools/runner/stage.ts'
import { type ConstraintTemplate, definitionName, templates } from './template.ts'
import { audited, constrain, installed, Running } from './testkit/running.ts'
import { requiredLabels } from './testkit/templates.ts'

const available = await realApiServerAvailable('policy-sync on a real API server')
const fromSource = join(import.meta.dirname, '../../test/examples/from-source.ts')

const seeds = Number(process.env.WHERRY_SEEDS ?? 10)
/** 30. The first round of a soak (npm run soak -- policy) has ten seeds, which are 1,000 cycles; later rounds are short. */
const cycles = process.env.WHERRY_SOAK === undefined ? 30 : seeds * (seeds < 10 ? 10 : 100)
/** Cycles at a time. */
const lanes = 10
/** Before the heap is measured, so that modules are loaded and buffers are there. */
const warmUp = 50
/** Nothing is violated while the heap is measured: the event recorder remembers some thousands of the last events. */
const noLabels: string[] = []
/** What V8 compiles, and throws away when it is not used, would count as well: some 4 kB a cycle, for hundreds of cycles. */
const withoutCompiler = ['--no-opt', '--no-maglev', '--no-sparkplug', '--no-flush-bytecode']
/** What the heap may grow by. It grew by 109 to 166 kB in 50 cycles, and by 914 kB in 1,000. */
const growth = { fixed: 250_000, perCycle: 1200 }
const patience = 1_800_000

/**
 * The heap is measured with the embedded server, since its definitions come and go at once, so that CI takes seconds for it; with the real one in a
 * soak.
 */
const measured =
  process.env.WHERRY_SOAK === undefined
    ? ({ kind: 'embedded' } as const)
    : ({ kind: 'real', controllers: false } as const)

/** A template comes, with an instance, and goes. Every other name comes again and again. */
async function cycle(client: Client, labels: string[], lane: number, index: number): Promise<void> {
  const id = index % 2 === 0 ? `${lane}` : `${lane}x${index}`
  const name = `label${id}s`
  const template: ConstraintTemplate = { metadata: { name }, spec: { ...requiredLabels.spec, kind: `Label${id}` } }
  await client.create(templates, template)
  const match = [{ group: '', kind: 'Namespace' }]
  const status = await constrain(client, template, 'one', { match, parameters: { labels } })
  await vi.waitFor(async () => expect(audited(await status())).toBe('Audited'), within)
  expect(((await status()).totalViolations ?? 0) > 0).toBe(labels.length > 0)
  await client.delete(templates, { name })
  const gone = async (): Promise<void> =>
    expect(await client.get(customResourceDefinitions, { name: definitionName(name) })).toBeUndefined()
  await vi.waitFor(gone, within)
}

/** Each question takes processor time from the server that it waits for, and ten lanes ask. */
const within = { interval: 150 }

async function run(client: Client, labels: string[], count: number): Promise<void> {
  const lane = async (_: unknown, number: number): Promise<void> => {
    for (let index = 0; index < count / lanes; index++) await cycle(client, labels, number, index)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

describe.runIf(available)(
  `policy-sync on a real API server, ${cycles} templates that come and go with an instance`,
  () => {
    it(
      'D4: leave no watch, no constraint and no definition',
      async () => {
        // It collects no garbage, and so takes no definition away that has lost its owner: the operator is to do that itself.
        const server = await sharedRealServer()
        await using client = await installed(server)
        const running = new Running(client)
        try {
          await run(client, ['nobody'], cycles)
          const { operator, policySync } = running
          await vi.waitFor(() => expect(policySync.constraints.kinds).toEqual([]))
          await vi.waitFor(() => expect(policySync.audited.kinds).toEqual([]))
          // Reviews need all templates.
          expect(operator.manager(WatchManager).intended.map(({ resource }) => resource.plural)).toEqual([
            'constrainttemplates',
          ])
          const cached = (): string[] => operator.report().informers.map(({ view }) => `${view}`)
          const ofKinds = (): string[] => cached().filter(view => /namespaces|constraints\.policy/.test(view))
          await vi.waitFor(() => expect(ofKinds()).toEqual([]))
          // What was read of a definition is kept for ten minutes, in case that it is read again; nobody subscribes to it.
          await vi.waitFor(() => expect(operator.narrow.report().subscriptions).toBe(0))
        } finally {
          await running.close()
        }
      },
      patience,
    )

    it(
      'leave the heap as it was',
      async () => {
        const { signal } = new AbortController()
        const options = {
          signal,
          startServer: (tokens: Tokens) => startApiServer({ ...measured, tokens, authorization: 'allow' }),
          say: () => {},
          execArgv: [...withoutCompiler, '--import', fromSource],
        }
        await onStage('policy-sync', options, async ({ client, start }) => {
          const program = start()
          await run(client, noLabels, warmUp)
          const before = (await program.memory()).heap
          await run(client, noLabels, cycles)
          const grown = (await program.memory()).heap - before
          console.log(`${cycles} cycles: the heap has grown by ${Math.round(grown / 1000)} kB`)
          expect(grown).toBeLessThan(growth.fixed + growth.perCycle * cycles)
          await program.stop()
        })
      },
      patience,
    )
  },
)
