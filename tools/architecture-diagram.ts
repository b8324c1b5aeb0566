/** Draws the packages in docs/architecture.md from their package.json files: `node tools/architecture-diagram.ts`. `test/structure` holds that the page is as they are. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { publishedPackages, root } from './workspace.ts'

const page = join(root, 'docs/architecture.md')

/** What each package is for, in a few words. */
const notes: Readonly<Record<string, string>> = {
  apiserver: 'kube-apiserver, embedded',
  cel: 'rules and policies, evaluated',
  cli: 'wherry crd · types',
  client: 'views, connections, list · watch · write',
  controller: 'tracked reads, operator, leader, metrics',
  copies: 'objects in many namespaces',
  'create-wherry-operator': 'npm create',
  crd: 'definitions from types',
  'dynamic-cache': 'informers that come and go',
  'hash-compare': 'write what differs',
  informer: 'reflector, store, journal',
  'narrow-cache': 'one object, one watch',
  testing: 'servers, simulated time, helpers for tests',
  'storage-migrator': 'old versions out of etcd',
  streams: 'logs, exec, port-forward',
  'transform-cache': 'smaller than the object',
  'watch-manager': 'one watch, many consumers',
  webhook: 'admission webhooks',
  'work-queue': 'a key once, and in turn',
}

/** The packages that each package declares as its dependencies, by short name. */
export function dependencies(): Map<string, string[]> {
  return new Map(
    publishedPackages().map(({ short, manifest }) => {
      const ours = Object.keys(manifest.dependencies ?? {}).filter(name => name.startsWith('@wherry/'))
      return [short, ours.map(name => name.slice('@wherry/'.length)).sort()]
    }),
  )
}

/** The page with its diagram as it has to be. An arrow that others imply is left out. */
export function architecturePage(text: string = readFileSync(page, 'utf8')): string {
  const below = dependencies()
  const reaches = (from: string, to: string): boolean =>
    (below.get(from) ?? []).some(next => next === to || reaches(next, to))
  const node = (name: string): string => `${name}[${name}<br><small>${notes[name] ?? ''}</small>]`
  const lines = [...below].flatMap(([name, direct]) => [
    `  ${node(name)}`,
    ...direct.filter(to => !direct.some(other => other !== to && reaches(other, to))).map(to => `  ${name} --> ${to}`),
  ])
  const diagram = [
    'flowchart TD',
    '  operator([your operator]) --> controller',
    '  operator --> copies',
    '  operator --> webhook',
    '  tests([your tests]) --> testing',
    ...lines,
  ]
  diagram.push('  client --> server([kube-apiserver])')
  return text.replace(/```mermaid\nflowchart TD\n[\s\S]*?```/, `\`\`\`mermaid\n${diagram.join('\n')}\n\`\`\``)
}

if (process.argv[1] === import.meta.filename) {
  writeFileSync(page, architecturePage())
  console.log(`wrote ${relative(root, page)}`)
}
