import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { command, type Ended, toolEnvironment } from '../../tools/test/command.ts'
import { root } from '../../tools/workspace.ts'
import type { OutsideProject } from './project.ts'
import type { Runtimes } from './runtimes.ts'

/** One thing that docs/runs-on.md says. */
export interface Subject {
  /** The row of the page, as it begins. */
  readonly row: string
  readonly run: () => Promise<Ended>
  /** What it prints, all of it, in this order. */
  readonly prints: readonly string[]
  /** Whether it ends in order. @default true */
  readonly works?: boolean | undefined
}

const limitMs = 300_000

/** What TypeScript takes: these come first, since others run what they write. */
export function compilers({ folder, commonJs }: OutsideProject): Subject[] {
  const five = ['--strict', '--skipLibCheck', 'false', '--target', 'es2022', '--lib', 'es2023,esnext.disposable']
  const tsc =
    (compiler: string, cwd: string, ...options: string[]) =>
    (): Promise<Ended> => {
      const args = [compiler, ...five, '--types', 'node', '--rootDir', '.', ...options, 'small.ts']
      return command(process.execPath, args, { cwd, limitMs })
    }
  const six = join(root, 'node_modules/typescript/bin/tsc')
  const seven = join(root, 'node_modules/typescript7/bin/tsc')
  const bundler = ['--moduleResolution', 'bundler']
  return [
    {
      row: '`module: commonjs`',
      run: tsc(seven, commonJs, '--module', 'commonjs', '--outDir', 'out'),
      prints: [],
    },
    { row: '`module: commonjs`', run: tsc(six, commonJs, '--module', 'commonjs', '--noEmit'), prints: [] },
    {
      row: '`moduleResolution: bundler`',
      run: tsc(seven, folder, '--module', 'esnext', ...bundler, '--outDir', 'esm'),
      prints: [],
    },
    { row: '`module: node16`, `node18`', run: tsc(seven, folder, '--module', 'node16', '--noEmit'), prints: [] },
    { row: '`module: node20`, `nodenext`', run: tsc(seven, commonJs, '--module', 'node20', '--noEmit'), prints: [] },
    {
      row: '`module: node16`, `node18`, in a CommonJS package',
      run: tsc(seven, commonJs, '--module', 'node16', '--noEmit'),
      prints: ['error TS1479'],
      works: false,
    },
    {
      row: '`moduleResolution: node10`',
      run: tsc(seven, commonJs, '--module', 'commonjs', '--moduleResolution', 'node10', '--noEmit'),
      prints: ['error TS5108'],
      works: false,
    },
  ]
}

/** What runs operators. */
export function runners(
  { folder, commonJs, doors }: OutsideProject,
  { nodes, bun, deno, jest, tsx }: Runtimes,
): Subject[] {
  const env = { ...toolEnvironment(), RUN_SMALL: 'yes', NODE_NO_WARNINGS: '1', DENO_NO_UPDATE_CHECK: '1' }
  const run =
    (cwd: string, file: string, ...args: string[]) =>
    (): Promise<Ended> =>
      command(file, args, { cwd, env, limitMs })
  const inJest = (node: string) => (): Promise<Ended> => {
    const args = ['--rootDir', folder, '--testMatch', '**/in-jest.mjs']
    const own = { ...env, RUN_SMALL: 'no', NODE_OPTIONS: '--experimental-vm-modules' }
    return command(node, [jest, ...args], { cwd: folder, env: own, limitMs })
  }
  const serve = (...args: string[]): (() => Promise<Ended>) => run(folder, process.execPath, 'serve.ts', ...args)
  return [
    ...Object.entries(nodes).flatMap(([name, node]): Subject[] => [
      { row: name, run: serve(node, 'operator.ts'), prints: wholeOperator },
      { row: '`require` from CommonJS', run: run(commonJs, node, 'require.cjs', ...doors), prints: ['required all'] },
      { row: '`module: commonjs`', run: run(commonJs, node, 'out/small.js'), prints: ['copied 1'] },
      { row: 'tsx', run: run(commonJs, node, tsx, 'small.ts'), prints: ['copied 1'] },
      { row: 'jest', run: inJest(node), prints: ['1 passed, 1 total'] },
    ]),
    { row: 'Bun 1.4', run: serve(bun, 'operator.ts'), prints: wholeOperator },
    { row: 'Bun 1.4', run: run(folder, bun, 'small.ts'), prints: ['copied 1'] },
    { row: 'Deno 2.9', run: serve(deno, 'run', ...denoFlags, 'operator.ts'), prints: wholeOperator },
    { row: 'Deno 2.9', run: run(folder, deno, 'run', '--allow-all', 'small.ts'), prints: ['copied 1'] },
  ]
}

/** What an operator needs of Deno. */
const denoFlags = ['--allow-net', '--allow-read', '--allow-env', '--allow-sys']

/** What `operator.ts` prints when all goes as it should. */
const wholeOperator = [
  ...['refused another authority\n', 'listed with a client certificate\n'],
  ...['copied a with none\n', 'copied a with eA==\n', 'ended in order\n', 'exit 0\n'],
]

/** The commands of docs/security.md that begin with `node --permission`, by the Node that the comment behind each names. */
export function permissionFlags(page: string): Readonly<Record<string, readonly string[]>> {
  const lines = Array.from(page.matchAll(/^node (--permission .*) main\.ts +# (.*)$/gm))
  return Object.fromEntries(lines.map(([, flags = '', node = '']) => [node, flags.split(' ')]))
}

/** The quickstart under Node's permission model. */
export function permitted({ folder }: OutsideProject, { nodes }: Runtimes): Subject[] {
  const commands = permissionFlags(readFileSync(join(root, 'docs/security.md'), 'utf8'))
  const runs = (node: string, flags: readonly string[]) => (): Promise<Ended> => {
    const own = flags.map(flag =>
      flag.replace('=/app', `=${folder}`).replace('=/var/run/secrets/kubernetes.io/serviceaccount', '=CREDENTIALS'),
    )
    const args = ['permitted.ts', node, ...own, 'quickstart/main.ts']
    return command(process.execPath, args, { cwd: folder, env: toolEnvironment(), limitMs })
  }
  const under = 'Node with `--permission`'
  return Object.entries(nodes).flatMap(([name, node]): Subject[] => {
    const flags = commands[name] ?? []
    const lacking = ['serviceaccount', '--allow-net'].filter(part => flags.some(flag => flag.includes(part)))
    const less = lacking.map(part => flags.filter(flag => !flag.includes(part)))
    return [
      { row: under, run: runs(node, flags), prints: ['the game has its settings\n', 'exit 0\n'] },
      ...less.map(few => ({ row: under, run: runs(node, few), prints: ['ERR_ACCESS_DENIED', 'exit 1\n'] })),
    ]
  })
}
