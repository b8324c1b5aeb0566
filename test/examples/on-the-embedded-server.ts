import { join } from 'node:path'
import { type AccessAttributes, startApiServer } from '@wherry/testing'
import { expect, it } from 'vitest'
import type { ExampleName } from '../../tools/runner/examples.ts'
import { Manifest, right, userOf } from '../../tools/runner/manifest.ts'
import { play } from './play.ts'

const examples = join(import.meta.dirname, '../../examples')

/** What an operator uses only if its writes are refused, or undone by others, and counts it up: users may never bring that about. */
const rightsToEvents = ['create events', 'patch events']

/** What the cache waits with, if a kind goes while it is watched: the operator may let go of it before, since its definition goes first. */
const rightsToWait = [
  'list apiservices.apiregistration.k8s.io',
  'watch apiservices.apiregistration.k8s.io',
  // A candidate watches a lease that another one holds.
  'watch leases.coordination.k8s.io',
]

/** Plays these examples on the embedded server, and compares the rights that they use with those of their manifests. */
export function playOnTheEmbeddedServer(names: readonly ExampleName[]): void {
  it.each(names)(
    '%s keeps what it promises on the embedded server, and uses just the rights of its manifest',
    async name => {
      const manifest = new Manifest(join(examples, name))
      const { user } = userOf(manifest.workload)
      const used = new Set<string>()
      /** What the server refused, whether the program says so or not. */
      const refused = new Set<string>()
      const authorization = (asked: AccessAttributes): boolean => {
        if (asked.user.name !== user || asked.resource === '') return true
        used.add(right(asked))
        const isAllowed = manifest.allows(asked)
        if (!isAllowed) refused.add(`${right(asked)} in ${asked.namespace || 'the cluster'}`)
        return isAllowed
      }
      await play(name, async tokens => {
        const server = await startApiServer({ tokens, authorization })
        // As a server that can't stream a list does: then lists are asked for, which otherwise seldom are.
        for (const [, resource] of manifest.rights.map(one => /^watch (.+)$/.exec(one) ?? [])) {
          if (resource === undefined) continue
          await server.faults.add({ match: { verb: 'watch', resource }, nth: 1, effect: { kind: 'status', code: 400 } })
        }
        return server
      })
      // A right to all kinds is used by whatever no other right of the manifest allows.
      const allowing = (one: string): string => {
        const any = `${one.split(' ')[0]} *.*`
        return !manifest.rights.includes(one) && manifest.rights.includes(any) ? any : one
      }
      // What has listed a resource watches it next. It may have ended before, since what it waited for was there already.
      for (const [, resource] of [...used].map(one => /^list (.+)$/.exec(one) ?? [])) {
        if (resource !== undefined && manifest.rights.includes(`watch ${resource}`)) used.add(`watch ${resource}`)
      }
      expect([...refused]).toEqual([])
      if (manifest.isOperator) for (const one of rightsToEvents) used.add(one)
      for (const one of rightsToWait) if (manifest.rights.includes(one)) used.add(one)
      expect([...new Set([...used].map(allowing))].sort()).toEqual(manifest.rights)
    },
  )
}
