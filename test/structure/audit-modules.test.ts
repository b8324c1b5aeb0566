import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../../tools/workspace.ts'

/** The packages and modules of Node that a source and its own files import before any dynamic import. */
function importedBy(source: string): ReadonlySet<string> {
  const [found, seen, open] = [new Set<string>(), new Set<string>(), [join(root, source)]]
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (seen.has(file)) continue
    seen.add(file)
    const text = readFileSync(file, 'utf8')
    for (const [, from = ''] of text.matchAll(/^(?:import|export) (?:\{[^}]*\}|\*(?: as \w+)?|\w+) from '([^']+)'/gm)) {
      if (from.startsWith('.')) open.push(join(dirname(file), from))
      else found.add(from)
    }
  }
  return found
}

// Together they take 18 MB. An import of `node:http` by names also loads its WebSocket.
it('an audit of a real cluster loads neither the embedded server nor `node:http`', () => {
  const imported = importedBy('packages/cli/src/audit/audit.ts')
  expect([...imported].filter(from => from.startsWith('@wherry/apiserver'))).toEqual([
    '@wherry/apiserver/internal/requests',
  ])
  // Its clients are for the game alone, and `yaml` for roles.
  expect(imported).not.toContain('@wherry/client')
  expect(imported).not.toContain('@wherry/crd/internal')
  expect(imported).toContain('node:https')
  expect(imported).not.toContain('node:http')
})

it('the part of the embedded server that an audit loads imports no module for connections', () => {
  const imported = importedBy('packages/apiserver/src/internal/requests.ts')
  expect([...imported].sort()).toEqual(['@wherry/cel/internal/values', 'node:crypto'])
})
