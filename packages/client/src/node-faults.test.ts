import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nodeFault } from './node-faults.ts'

const root = new URL('../../../', import.meta.url)

describe('nodeFault', () => {
  it.each([
    ['22.19.0', 'Node 22.19.0 has known faults of HTTP/2 and TLS: use 22.23.2 or a newer one of that line'],
    ['22.23.1', 'Node 22.23.1 has known faults of HTTP/2 and TLS: use 22.23.2 or a newer one of that line'],
    ['24.18.0', 'Node 24.18.0 has known faults of HTTP/2 and TLS: use 24.18.1 or a newer one of that line'],
    ['26.5.0', 'Node 26.5.0 has known faults of HTTP/2 and TLS: use 26.5.1 or a newer one of that line'],
    [
      '25.9.0',
      'Node 25.9.0 has known faults, and its line is not mended any more: use 22.23.2, 24.18.1, 26.5.1 or a newer one of that line',
    ],
  ])('says of Node %s what to use instead', (node, message) => {
    expect(nodeFault({ node })).toBe(message)
  })

  it.each(['22.23.2', '22.24.0', '24.18.1', '24.21.0', '26.5.1', '26.12.1', '27.0.0', '30.1.2'])(
    'says nothing of Node %s',
    node => expect(nodeFault({ node })).toBeUndefined(),
  )

  it('says nothing of Bun and Deno, whatever Node they say they are, nor of a version that it can not read', () => {
    expect(nodeFault({ node: '22.6.0', bun: '1.4.5' })).toBeUndefined()
    expect(nodeFault({ node: '22.6.0', deno: '2.9.6' })).toBeUndefined()
    expect([nodeFault({}), nodeFault({ node: 'next' })]).toEqual([undefined, undefined])
  })

  it('says nothing of a version that is newer than one of its line without a fault', () => {
    const part = fc.nat(40)
    fc.assert(
      fc.property(fc.constantFrom(22, 24, 26), part, part, part, (major, minor, patch, more) => {
        fc.pre(nodeFault({ node: `${major}.${minor}.${patch}` }) === undefined)
        expect(nodeFault({ node: `${major}.${minor}.${patch + more}` })).toBeUndefined()
        expect(nodeFault({ node: `${major}.${minor + more}.${more === 0 ? patch : 0}` })).toBeUndefined()
      }),
    )
  })

  it('docs/security.md names the versions', () => {
    const page = readFileSync(new URL('docs/security.md', root), 'utf8')
    const [, section = ''] = /\n## Faults of Node itself\n([\s\S]*?)\n## /.exec(page) ?? []
    const named = Array.from(section.matchAll(/\*\*(\d+\.\d+\.\d+)\*\*/g), ([, version = '']) => version)
    expect(named).toEqual(['22.23.2', '24.18.1', '26.5.1'])
    expect(named.map(node => nodeFault({ node }))).toEqual([undefined, undefined, undefined])
  })
})
