import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { runCommand } from '@wherry/cli'
import { expect, vi } from 'vitest'
import type { ExampleName } from '../../tools/runner/examples.ts'
import { homeOf } from '../../tools/runner/record.ts'

/** Fails unless the manifests of an example are those that `wherry manifests` makes of its program and of recorded rights. */
export async function checkManifests(name: ExampleName, rights: string): Promise<void> {
  const cwd = homeOf(name)
  const { scripts } = JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8'))
  const [, ...args] = scripts.manifests.split(' ')
  let said = ''
  const output = { write: (text: string) => (said += text) }
  // The program reads the packages from their sources.
  vi.stubEnv('NODE_OPTIONS', `--import ${pathToFileURL(join(import.meta.dirname, 'from-source.ts')).href}`)
  try {
    const status = await runCommand([...args, '--rights', rights, '--check'], { cwd, stdout: output, stderr: output })
    const recorded = readdirSync(rights).map(file => readFileSync(join(rights, file), 'utf8'))
    expect(
      status,
      `${said}Recorded: ${recorded.join()}\nTo renew them: npm run example -- ${name} --record, and npm run manifests in its folder`,
    ).toBe(0)
  } finally {
    vi.unstubAllEnvs()
  }
}
