import { copyFileSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { command, type Ended, toolEnvironment } from '../../tools/test/command.ts'

/** What issue and README promise of a new project. */
const maxFiles = 13
const maxBundle = 5_000_000

/**
 * Makes a new project by `npm create wherry-operator` below `project`, whose packages stand in for those that it would install, and does what its workflow does, on each
 * Node: types, tests, `wherry check`, and the bundle of its Dockerfile, which then starts in an empty folder. undefined for each step that went well.
 */
export async function tryCreated(
  project: string,
  nodes: Readonly<Record<string, string>>,
): Promise<(string | undefined)[]> {
  const folder = join(project, 'policy-operator')
  const bin = (name: string): string => join(project, 'node_modules/.bin', name)
  const run = (cwd: string, program: string, ...args: string[]): Promise<Ended> =>
    command(program, args, { cwd, env: { ...toolEnvironment(), NODE_NO_WARNINGS: '1' }, limitMs: 120_000 })
  const well = (what: string, { code, output }: Ended): string | undefined =>
    code === 0 ? undefined : `${what} of a new project fails:\n${output}`
  const line = ['policy-operator', '--group', 'rules.example.org', '--kind', 'Policy']
  const create = await run(project, process.execPath, bin('create-wherry-operator'), ...line)
  const outcomes = [well('create-wherry-operator', create)]
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(one => one.isFile()).length
  if (files > maxFiles) outcomes.push(`a new project has ${files} files`)
  outcomes.push(well('tsc', await run(folder, process.execPath, bin('tsc'))))
  for (const [version, node] of Object.entries(nodes))
    outcomes.push(well(`node --test on Node ${version}`, await run(folder, node, '--test')))
  outcomes.push(well('wherry check', await run(folder, process.execPath, bin('wherry'), 'check')))
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
