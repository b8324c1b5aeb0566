import { join } from 'node:path'
import { type AccessAttributes, startApiServer } from '@wherry/testing'
import { expect, it } from 'vitest'
import type { ExampleName } from '../../examples/runner/examples.ts'
import { Manifest, right, userOf } from '../../examples/runner/manifest.ts'
import { play } from './play.ts'

const examples = join(import.meta.dirname, '../../examples')

/** Plays these examples on the embedded server, and compares the rights that they use with those of their manifests. */
export function playOnTheEmbeddedServer(names: readonly ExampleName[]): void {
  it.each(names)(
    '%s keeps what it promises on the embedded server, and uses just the rights of its manifest',
    async name => {
      const manifest = new Manifest(join(examples, name))
      const { user } = userOf(manifest.workload)
      const used = new Set<string>()
      const authorization = (asked: AccessAttributes): boolean => {
        if (asked.user.name === user && asked.resource !== '') used.add(right(asked))
        return true
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
      expect([...new Set([...used].map(allowing))].sort()).toEqual(manifest.rights)
    },
  )
}
