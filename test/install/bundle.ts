import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { command, toolEnvironment } from '../../tools/test/command.ts'
import { root } from '../../tools/workspace.ts'

/** An operator with metrics: prom-client asks for parts of Node in the way that bundles often break. */
const program = `
import { Client } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { Operator, prometheusMetrics } from '@wherry/controller'

const { URL: url = '', TOKEN: token = '', CA: ca = '' } = process.env
const metrics = await prometheusMetrics()
await using client = new Client({ url, token, ca, environment: { metrics } })
const operator = new Operator({ name: 'bundled', client, metrics })
operator
  .controller('maps')
  .for(configMaps)
  .reconcile(({ key }) => console.log('reconciled ' + key.name))
const running = operator.run({ signals: false })
await operator.settled()
await operator.close()
await running
console.log((await metrics.text()).includes('controller_runtime_reconcile_total{') ? 'has metrics' : 'has none')
`

const server = `
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { startApiServer } from '@wherry/testing'

await using server = await startApiServer()
await server.fill([{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' } }])
const env = { ...process.env, URL: server.url, TOKEN: server.token, CA: server.ca }
const [code] = await once(spawn(process.execPath, [process.argv[2]], { stdio: 'inherit', env }), 'exit')
process.exitCode = code
`

/** The arguments of the command in docs/run-in-production.md that bundles a program. Throws if the page has none. */
export function bundleArguments(page: string): string[] {
  const line = /^npx esbuild (.*)$/m.exec(page.replaceAll('\\\n', ''))?.[1]
  if (line === undefined) throw new Error('docs/run-in-production.md has no command that begins with npx esbuild')
  return Array.from(line.matchAll(/(?:[^\s"]|"[^"]*")+/g), ([word]) => word.replaceAll('"', ''))
}

/**
 * Bundles an operator in `project` by the command of docs/run-in-production.md, and runs the one file that comes out where there are no
 * packages; undefined if all went well.
 */
export async function runBundle(project: string): Promise<string | undefined> {
  writeFileSync(join(project, 'main.ts'), program)
  writeFileSync(join(project, 'serve.mjs'), server)
  const args = bundleArguments(readFileSync(join(root, 'docs/run-in-production.md'), 'utf8'))
  const bundled = await command(join(project, 'node_modules/.bin/esbuild'), args, { cwd: project })
  if (bundled.code !== 0) return `the bundle of docs/run-in-production.md can not be made:\n${bundled.output}`
  const elsewhere = mkdtempSync(join(tmpdir(), 'wherry bundle '))
  try {
    const file = join(elsewhere, 'main.mjs')
    copyFileSync(join(project, 'main.mjs'), file)
    const env = { ...toolEnvironment(), NODE_ENV: 'production' }
    const ended = await command(process.execPath, ['serve.mjs', file], { cwd: project, env, limitMs: 120_000 })
    const isWell = ended.code === 0 && ended.output.includes('reconciled a\n') && ended.output.includes('has metrics\n')
    return isWell ? undefined : `the bundle of docs/run-in-production.md does not run:\n${ended.output}`
  } finally {
    rmSync(elsewhere, { recursive: true, force: true })
  }
}
