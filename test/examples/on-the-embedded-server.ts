import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AccessAttributes, type ApiServer, startApiServer } from '@wherry/testing'
import { expect, it } from 'vitest'
import { type ExampleName, verificationOf } from '../../tools/runner/examples.ts'
import { Manifest, right, userOf } from '../../tools/runner/manifest.ts'
import { homeOf, type RecordingServer, recordExample } from '../../tools/runner/record.ts'
import type { Stage, Tokens } from '../../tools/runner/stage.ts'
import { checkManifests } from './check-manifests.ts'
import { play } from './play.ts'

/** What an operator uses only if its writes are refused, or undone by others, and counts it up: users may never bring that about. */
const rightsToEvents = ['create events', 'patch events']

/** What the cache waits with, if a kind goes while it is watched: the operator may let go of it before, since its definition goes first. */
const rightsToWait = [
  'list apiservices.apiregistration.k8s.io',
  'watch apiservices.apiregistration.k8s.io',
  // A candidate watches a lease that another one holds.
  'watch leases.coordination.k8s.io',
]

/**
 * An operator with webhooks looks at its Service before it names it. Here the API server calls an address: a test of `wherry manifests` has the Service.
 * Whether one may bind a role is asked only if roles count: here a function decides. The same examples on a real server need it.
 */
const rightsInACluster = ['get services', 'bind clusterroles.rbac.authorization.k8s.io']

/** Plays these examples on the embedded server, and compares the rights that they use with those of their manifests. */
export function playOnTheEmbeddedServer(names: readonly ExampleName[]): void {
  it.each(names)(
    '%s keeps what it promises on the embedded server, and uses just the rights of its manifests, which are current',
    async name => {
      const manifest = new Manifest(homeOf(name))
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
      const recorded = await mkdtemp(join(tmpdir(), 'wherry-recorded-'))
      let recording: RecordingServer | undefined
      const startServer = async (tokens: Tokens): Promise<ApiServer> => {
        const server = await startApiServer({ tokens, authorization, enforceOwnerRights: true })
        recording = server
        // As a server that can't stream a list does: then lists are asked for, which otherwise seldom are.
        for (const [, resource] of manifest.rights.map(one => /^watch (.+)$/.exec(one) ?? [])) {
          if (resource === undefined) continue
          await server.faults.add({ match: { verb: 'watch', resource }, nth: 1, effect: { kind: 'status', code: 400 } })
        }
        return server
      }
      try {
        const users = await verificationOf(name)
        const body = async (stage: Stage): Promise<void> => {
          await users(stage)
          await recordExample(name, recording as RecordingServer, recorded)
        }
        await play(name, startServer, { body })
        // A lease is declared.
        const isWaited = (one: string): boolean => manifest.rights.includes(one) && !one.includes('leases')
        const waits = rightsToWait.filter(isWaited).map(recordedRight)
        await writeFile(join(recorded, 'waits.json'), JSON.stringify({ test: 'waits', rights: waits }))
        await checkManifests(name, recorded)
      } finally {
        await rm(recorded, { recursive: true })
      }
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
      for (const one of [...rightsToWait, ...rightsInACluster]) if (manifest.rights.includes(one)) used.add(one)
      expect([...new Set([...used].map(allowing))].sort()).toEqual(manifest.rights)
    },
  )
}

/** `watch leases.coordination.k8s.io` as a recording has it. */
function recordedRight(one: string): { readonly verb: string; readonly group: string; readonly resource: string } {
  const [, verb = '', resource = '', group = ''] = /^(\w+) (\w+)\.(.+)$/.exec(one) ?? []
  return { verb, group, resource }
}
