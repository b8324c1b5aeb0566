import type { Client } from '@wherry/client'
import { conditionOf } from '@wherry/controller'
import type { ApiServer } from '@wherry/testing'
import { expect, it, vi } from 'vitest'
import { type ConstraintTemplate, templates } from '../template.ts'
import { Widgets } from './definition-changes.ts'
import { audited, constrain, installed, Running } from './running.ts'
import { requiredLabels } from './templates.ts'

const patience = 300_000
const reviewed = { metadata: { namespace: 'default', name: 'x', labels: { owner: 'x' } } }

/** Tests what templates and constraints say if the server does not serve their kinds. */
export function testRefusedKinds(start: () => Promise<ApiServer>): void {
  const withOperator = async (run: (client: Client, running: Running) => Promise<void>): Promise<void> => {
    await using server = await start()
    await using client = await installed(server)
    const running = new Running(client)
    try {
      await run(client, running)
    } finally {
      await running.close()
    }
  }
  const match = [{ group: '', kind: 'ConfigMap' }]
  const parameters = { labels: ['owner'] }

  it(
    'a second template of one kind is not ready, in the words of the server, and the first one still decides',
    () =>
      withOperator(async (client, running) => {
        const ready = async (name: string) =>
          conditionOf((await client.get(templates, { name }))?.status?.conditions, 'Ready')
        await client.create(templates, requiredLabels)
        const status = await constrain(client, requiredLabels, 'owner', { match, parameters })
        await vi.waitFor(async () => expect(audited(await status())).toBe('Audited'))
        const second: ConstraintTemplate = {
          metadata: { name: 'requiredlabels2' },
          spec: { kind: 'RequiredLabels', expression: 'false', message: 'the second' },
        }
        await client.create(templates, second)
        const refused = { status: 'False', reason: expect.stringMatching(/Conflict$/) }
        await vi.waitFor(async () => expect(await ready('requiredlabels2')).toMatchObject(refused))
        expect((await ready('requiredlabels2'))?.message).toContain('already in use')
        expect(await ready('requiredlabels')).toMatchObject({ status: 'True', reason: 'Compiled' })
        const review = () => running.policySync.review({ group: '', kind: 'ConfigMap' }, reviewed)
        await vi.waitFor(() => expect(review()).toEqual({ denied: [], warnings: [], undecided: [] }))
        await client.delete(templates, { name: 'requiredlabels' })
        await vi.waitFor(async () => expect(await ready('requiredlabels2')).toMatchObject({ reason: 'Compiled' }))
      }),
    patience,
  )

  it(
    'a constraint with a single kind that goes while no operator runs has no violations, if more were found than were named',
    () =>
      withOperator(async (client, first) => {
        const widgets = new Widgets(client, 'example.com')
        await widgets.define('v1')
        await widgets.fill(widgets.resource('v1'), 30)
        await client.create(templates, requiredLabels)
        const status = await constrain(client, requiredLabels, 'owner', { match: [widgets.kind], parameters })
        await vi.waitFor(async () => expect(await status()).toMatchObject({ totalViolations: 30 }))
        expect((await status()).violations?.length).toBeLessThan(30)
        // Otherwise the objects go before their kind, and are counted one by one.
        await first.close()
        await widgets.undefine()
        const again = new Running(client)
        try {
          await vi.waitFor(async () => {
            expect(audited(await status())).toBe('NotInstalled')
            expect(await status()).toMatchObject({ totalViolations: 0, violations: [] })
          })
        } finally {
          await again.close()
        }
      }),
    patience,
  )

  it(
    'a review right after the start is undecided until the templates are known',
    () =>
      withOperator(async (client, first) => {
        await client.create(templates, requiredLabels)
        await constrain(client, requiredLabels, 'owner', { match, parameters })
        await first.close()
        const again = new Running(client)
        try {
          const review = () => again.policySync.review({ group: '', kind: 'ConfigMap' }, { metadata: { name: 'x' } })
          expect(review()).toMatchObject({ denied: [], undecided: ['the templates are being read'] })
          await vi.waitFor(() => {
            const { denied, undecided } = review()
            // Nothing is allowed in between.
            expect(denied.length + undecided.length).toBeGreaterThan(0)
            expect(undecided).toEqual([])
          })
          expect(review().denied).toHaveLength(1)
        } finally {
          await again.close()
        }
      }),
    patience,
  )
}
