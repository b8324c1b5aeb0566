import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ask } from '../../packages/apiserver/src/install/ask.ts'
import { npm } from '../../tools/release/npm.ts'
import type { LocalRegistry } from '../../tools/release/registry.ts'
import { command, type Ended, toolEnvironment } from '../../tools/test/command.ts'
import { DevSession } from './dev-session.ts'

/** What issue and README promise of a new project. */
const maxFiles = 14
const maxBundle = 5_000_000

/**
 * Makes a new project by `npm create wherry-operator`, of the packages in the registry, below `project`. The packages of that stand in for those that
 * it would install. Does what its workflow does, on each Node: types, tests, `wherry check`, and the bundle of its Dockerfile, which then starts in an
 * empty folder. undefined for each step that went well.
 */
export async function tryCreated(
  project: string,
  nodes: Readonly<Record<string, string>>,
  { npmrc }: LocalRegistry,
): Promise<(string | undefined)[]> {
  const folder = join(project, 'policy-operator')
  const bin = (name: string): string => join(project, 'node_modules/.bin', name)
  const run = (cwd: string, program: string, ...args: string[]): Promise<Ended> =>
    command(program, args, { cwd, env: { ...toolEnvironment(), NODE_NO_WARNINGS: '1' }, limitMs: 120_000 })
  const well = (what: string, { code, output }: Ended): string | undefined =>
    code === 0 ? undefined : `${what} of a new project fails:\n${output}`
  const options = ['--group', 'rules.example.org', '--kind', 'Policy']
  const create = ['create', '--yes', 'wherry-operator', 'policy-operator', '--', ...options]
  const outcomes = [
    well('npm create', await npm(project, create, { npm_config_userconfig: npmrc, npm_config_loglevel: 'error' })),
  ]
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(one => one.isFile()).length
  if (files > maxFiles) outcomes.push(`a new project has ${files} files`)
  outcomes.push(well('tsc', await run(folder, process.execPath, bin('tsc'))))
  for (const [version, node] of Object.entries(nodes))
    outcomes.push(well(`node --test on Node ${version}`, await run(folder, node, '--test')))
  outcomes.push(well('wherry check', await run(folder, process.execPath, bin('wherry'), 'check')))
  const zod = ['create', 'zod-operator', ...options, '--schema', 'zod']
  outcomes.push(well('wherry create --schema zod', await run(project, process.execPath, bin('wherry'), ...zod)))
  const other = join(project, 'zod-operator')
  outcomes.push(well('tsc with zod', await run(other, process.execPath, bin('tsc'))))
  const crd = ['crd', 'src/policy.crd.ts', '--out', 'deploy/crd', '--check']
  outcomes.push(well('wherry crd with zod', await run(other, process.execPath, bin('wherry'), ...crd)))
  outcomes.push(await tryDev(folder, bin('wherry')))
  const build =
    'src/main.ts --bundle --platform=node --format=esm --outfile=dist/main.mjs --external:@kubernetes/client-node'
  outcomes.push(well('esbuild', await run(folder, bin('esbuild'), ...build.split(' '))))
  const bundle = join(folder, 'dist/main.mjs')
  if (statSync(bundle).size > maxBundle) outcomes.push(`the bundle of a new project has ${statSync(bundle).size} bytes`)
  const elsewhere = mkdtempSync(join(tmpdir(), 'wherry created '))
  try {
    copyFileSync(bundle, join(elsewhere, 'main.mjs'))
    const env = { PATH: process.env.PATH ?? '', HOME: elsewhere }
    const { output } = await command(process.execPath, ['main.mjs'], { cwd: elsewhere, env, limitMs: 120_000 })
    // It gets as far as a program can without a cluster.
    outcomes.push(output.includes('CredentialsError') ? undefined : `the bundle of a new project fails:\n${output}`)
  } finally {
    rmSync(elsewhere, { recursive: true, force: true })
  }
  return outcomes
}

/** Runs `wherry dev` as the project's README says, makes a policy, and changes the source: the ConfigMap of the policy follows. */
async function tryDev(folder: string, wherry: string): Promise<string | undefined> {
  const session = new DevSession(folder, wherry)
  try {
    const access = await session.access()
    const message = async (): Promise<unknown> => {
      const { text } = await ask(access, 'GET', '/api/v1/namespaces/default/configmaps/hello')
      return JSON.parse(text).data?.message
    }
    const policy = {
      ...{ apiVersion: 'rules.example.org/v1alpha1', kind: 'Policy', metadata: { name: 'hello' } },
      spec: { message: 'Hello' },
    }
    await ask(access, 'POST', '/apis/rules.example.org/v1alpha1/namespaces/default/policies', policy)
    await session.until('the ConfigMap is there', async () => (await message()) === 'Hello')
    const source = join(folder, 'src/reconcile.ts')
    const text = readFileSync(source, 'utf8')
    writeFileSync(source, text.replace('message: object.spec.message', "message: object.spec.message + '!'"))
    await session.until('the change is there', async () => (await message()) === 'Hello!')
    writeFileSync(source, text)
    await session.until('the source is as it was', async () => (await message()) === 'Hello')
    const status = await session.end()
    return status === 0 ? undefined : `wherry dev in a new project ended with ${status}:\n${session.said}`
  } catch (error) {
    return `wherry dev in a new project fails: ${(error as Error).message}\n${session.said}`
  } finally {
    session.kill()
  }
}
