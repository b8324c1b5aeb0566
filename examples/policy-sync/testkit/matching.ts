import { configMaps, events, namespaces } from '@wherry/client/resources/core'
import type { ApiServer } from '@wherry/testing'
import { expect, it, vi } from 'vitest'
import type { Constraint } from '../constraint.ts'
import { constraintsOf, templates } from '../template.ts'
import { audited, constrain, installed, Running, sync } from './running.ts'
import { requiredLabels, uniqueNames } from './templates.ts'

const patience = 300_000
const kind = { group: '', kind: 'ConfigMap' }

/** Tests of what a constraint matches, and what comes of a violation. */
export function testMatching(start: () => Promise<ApiServer>): void {
  it('a constraint is about the namespaces and labels that it names, and a dry run sends no event', {
    timeout: patience,
  }, async () => {
    await using server = await start()
    await using client = await installed(server)
    const running = new Running(client)
    try {
      for (const name of ['team-a', 'team-b', 'red-system']) await client.create(namespaces, { metadata: { name } })
      const put = (namespace: string, name: string, labels: Record<string, string>): Promise<unknown> =>
        client.create(configMaps, { metadata: { namespace, name, labels } })
      await put('team-a', 'web', { tier: 'web' })
      await put('team-a', 'db', { tier: 'db' })
      await put('team-b', 'web', { tier: 'web' })
      await put('red-system', 'web', { tier: 'web' })
      await client.create(templates, requiredLabels)
      const found = async (name: string, spec: Omit<Constraint['spec'], 'match'>): Promise<unknown> => {
        const all = { match: [kind], parameters: { labels: ['owner'] }, ...spec }
        const status = await constrain(client, requiredLabels, name, all)
        await vi.waitFor(async () => expect(audited(await status())).toMatch('Audited'))
        return (await status()).violations?.map(one => `${one.namespace}/${one.name}`)
      }
      const tier = (operator: string, ...values: string[]) => ({
        matchExpressions: [{ key: 'tier', operator, values }],
      })
      const webs = { matchLabels: { tier: 'web' } }
      expect(await found('team', { namespaces: ['team-*'], enforcementAction: 'dryrun' })).toEqual([
        'team-a/db',
        'team-a/web',
        'team-b/web',
      ])
      expect(await found('labels', { labelSelector: webs, excludedNamespaces: ['*-system', 'team-b'] })).toEqual([
        'team-a/web',
      ])
      expect(await found('both', { namespaces: ['team-a', 'team-b'], excludedNamespaces: ['team-b'] })).toEqual([
        'team-a/db',
        'team-a/web',
      ])
      expect(await found('not', { labelSelector: tier('NotIn', 'web'), namespaces: ['team-*'] })).toEqual(['team-a/db'])

      // The events of the constraints that came later are there, so those of the first would be, too.
      const constraints = async (): Promise<unknown[]> =>
        (await client.list(events)).items.map(({ involvedObject }) => involvedObject?.name)
      await vi.waitFor(async () =>
        expect(await constraints()).toEqual(expect.arrayContaining(['labels', 'both', 'not'])),
      )
      expect(await constraints()).not.toContain('team')

      const wrong = { match: [kind], labelSelector: tier('Near', 'web') }
      const status = await constrain(client, requiredLabels, 'wrong', wrong)
      await vi.waitFor(async () => expect(audited(await status())).toBe('InvalidSelector'))
      expect((await status()).conditions?.[0]?.message).toContain('labelSelector.matchExpressions.operator')
      const refused = client.create(constraintsOf(requiredLabels), {
        metadata: { name: 'x' },
        spec: { match: [kind], namespaces: ['a*b'] },
      })
      await expect(refused).rejects.toThrow('spec.namespaces[0]')
    } finally {
      await running.close()
    }
  })

  it('a review denies, warns, or says what it can not decide, by the policies and objects of the audits', {
    timeout: patience,
  }, async () => {
    await using server = await start()
    await using client = await installed(server)
    const running = new Running(client)
    const review = (name: string) =>
      running.policySync.review(kind, { metadata: { namespace: 'default', name, uid: 'new' } })
    try {
      await client.create(configMaps, { metadata: { namespace: 'default', name: 'taken' } })
      await client.create(templates, uniqueNames)
      const match = [kind]
      await constrain(client, uniqueNames, 'denies', { match })
      await constrain(client, uniqueNames, 'warns', { match, enforcementAction: 'warn' })
      await constrain(client, uniqueNames, 'tries', { match, enforcementAction: 'dryrun' })
      await constrain(client, uniqueNames, 'elsewhere', { match, namespaces: ['other'] })
      const of = 'UniqueNames.constraints.policy.example.com'
      const unsynced = 'the policy looks up what is not synced: ConfigMap'
      await vi.waitFor(() =>
        expect(review('taken')).toEqual({
          denied: [],
          warnings: [],
          undecided: [`${of} denies: ${unsynced}`, `${of} warns: ${unsynced}`],
        }),
      )
      await sync(client, kind)
      await vi.waitFor(() =>
        expect(review('taken')).toEqual({
          denied: [`${of} denies: another object has the name`],
          warnings: [`${of} warns: another object has the name`],
          undecided: [],
        }),
      )
      expect(review('free')).toEqual({ denied: [], warnings: [], undecided: [] })
    } finally {
      await running.close()
    }
  })
}
