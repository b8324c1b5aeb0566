import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { stringify } from 'yaml'
import { runCommand } from './run.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wherry-hostile-'))
})

afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true })
})

/** Runs a command that is to end at once. */
async function runHere(args: readonly string[]): Promise<{ status: number; said: string; stderr: string }> {
  const written = { said: '', stderr: '' }
  const output = (...names: (keyof typeof written)[]) => ({
    write(text: string) {
      for (const name of names) written[name] += text
    },
  })
  const host = {
    ...{ stdout: output('said'), stderr: output('said', 'stderr'), cwd: folder, ending: () => AbortSignal.abort() },
    ask: async (question: string) => {
      expect(question).not.toMatch(controls)
      return ''
    },
  }
  return { status: await runCommand(args, host), ...written }
}

/** What a terminal acts on. No text of a stranger reaches it so. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029]/

/** Expects that a command does what it is for, or says in one line what is at fault. */
async function expectWords(args: readonly string[]): Promise<number> {
  const { status, stderr } = await runHere(args)
  if (status === 0) return status
  expect([1, 2]).toContain(status)
  const usage = '\\(wherry --help prints the usage\\)\\n'
  expect(stderr).toMatch(new RegExp(`^(wherry: [^\\n]+\\n|error: [^\\n]+\\n(${usage})?)$`))
  expect(stderr).not.toMatch(controls)
  expect(stderr).not.toMatch(/TypeError|Cannot read|\bat .*\.ts:\d/)
  return status
}

const tricky = fc.constantFrom<unknown>('', '*', '../x', 'a\nb', '\u001b[31m', '__proto__', -1, 1e308, null, [], {}, [
  [],
])
const anything = fc.oneof(tricky, fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<unknown>)

/** A value with parts of it replaced. */
function changed(value: unknown): fc.Arbitrary<unknown> {
  const whole = fc.oneof({ weight: 12, arbitrary: below(value) }, { weight: 1, arbitrary: anything })
  return whole
}

function below(value: unknown): fc.Arbitrary<unknown> {
  if (Array.isArray(value)) return fc.tuple(...value.map(changed))
  if (typeof value !== 'object' || value === null) return fc.constant(value)
  return fc.record(Object.fromEntries(Object.entries(value).map(([key, one]) => [key, changed(one)])))
}

/** The text of a file that is to hold such a value: JSON, YAML, YAML with other text in it, or bytes. */
const fileOf = (value: unknown): fc.Arbitrary<string | Uint8Array> =>
  fc.oneof(
    { weight: 6, arbitrary: changed(value).map(one => JSON.stringify(one)) },
    { weight: 3, arbitrary: changed(value).map(one => stringify(one)) },
    {
      weight: 1,
      arbitrary: fc.tuple(changed(value), fc.nat(), fc.string({ unit: 'binary' })).map(([one, at, text]) => {
        const yaml = stringify(one)
        const place = at % (yaml.length + 1)
        return yaml.slice(0, place) + text + yaml.slice(place)
      }),
    },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
    { weight: 1, arbitrary: fc.constantFrom('', '['.repeat(20_000), 'a'.repeat(200_000), '\ufeff', '&a [*a]') },
  )

const runs = (count: number) => ({ numRuns: Number(process.env.WHERRY_SEEDS ?? count) })

const right = { verb: 'get', group: '', resource: 'pods', namespace: 'a', name: 'b' }
const recorded = { test: 'plays', rights: [right, { verb: 'get', path: '/x' }, { ...right, grants: [right] }] }
const rule = { verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['b'] }
const role = { kind: 'Role', metadata: { namespace: 'a' }, rules: [rule] }

it('rbac ends with one line for any recorded rights, roles and file to renew', async () => {
  await mkdir(join(folder, 'rights'))
  const all = fc.tuple(
    fileOf(recorded),
    fileOf({ kind: 'List', items: [role, { ...role, kind: 'ClusterRole' }] }),
    fileOf(role),
    fc.boolean(),
  )
  await fc.assert(
    fc.asyncProperty(all, async ([rights, granted, before, isCheck]) => {
      await writeFile(join(folder, 'rights/a.json'), rights)
      await writeFile(join(folder, 'granted.yaml'), granted)
      await writeFile(join(folder, 'operator.rbac.yaml'), before)
      await expectWords(['rbac', '--rights', 'rights', '--granting', 'escalate', '--granted', 'granted.yaml'])
      const check = isCheck ? ['--check'] : []
      const { said } = await runHere(['rbac', '--rights', 'rights', '--out', '.', ...check])
      expect(said).toMatch(/^([^\n]+\n)+$/)
    }),
    runs(30),
  )
})

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '-1', '1e9', '0x10', '65536', 'NaN', '9'.repeat(400)),
)
const option = fc.constantFrom('--port', '--page', '--granting', '--rights', '--crd', '--own', '--fixed-name', '--out')

it('a flag of any value is taken, or refused with one line', async () => {
  const line = fc.tuple(
    fc.constantFrom('rbac', 'types', 'manifests', 'crd'),
    fc.array(fc.tuple(option, text), { maxLength: 3 }),
  )
  await fc.assert(
    fc.asyncProperty(line, async ([command, options]) => {
      await expectWords([command, ...options.flat().map(one => one.replaceAll('\0', ''))])
    }),
    runs(100),
  )
  const port = fc.tuple(fc.constantFrom('server', 'dev'), fc.constantFrom('--port', '--page'), text)
  await fc.assert(
    fc.asyncProperty(
      port.filter(([, , value]) => !/^\d{1,5}$/.test(value)),
      async ([command, name, value]) => {
        expect(await expectWords([command, name, value])).toBe(2)
      },
    ),
    runs(50),
  )
})

const kubeconfig = {
  ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'c' },
  clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1', 'certificate-authority-data': 'YQ==' } }],
  users: [{ name: 'u', user: { token: 't', 'client-certificate-data': 'YQ==', 'client-key-data': 'YQ==' } }],
  contexts: [{ name: 'c', context: { cluster: 'c', user: 'u', namespace: 'n' } }],
}

it('dev --cluster asks, or ends with one line, for any kubeconfig', async () => {
  const file = join(folder, 'kubeconfig')
  vi.stubEnv('KUBECONFIG', file)
  await fc.assert(
    fc.asyncProperty(fileOf(kubeconfig), async content => {
      await writeFile(file, content)
      expect(await expectWords(['dev', '--cluster'])).not.toBe(0)
    }),
    runs(50),
  )
})

it.for([
  ['rbac --rights file', 'file'],
  ['rbac --rights rights', 'rights/a.json'],
  ['rbac --rights taken --out file/x', 'file/x'],
  ['rbac --rights taken --out file', 'file'],
  ['types definition.json --out file', 'file'],
  ['manifests --name a --rights file', 'file'],
  ['server --port 0 --kubeconfig file/x', 'file/x'],
  ['server --port 0 --kubeconfig file/x/y', 'file'],
  ['server --port 0 --crd file', 'file'],
  ['dev --port 0 --keep rights', 'rights'],
  ['dev --port 0 --keep file/x', 'file'],
] as const)('%s names what stands in its way', async ([line, named]) => {
  await writeFile(join(folder, 'file'), '')
  await mkdir(join(folder, 'rights/a.json'), { recursive: true })
  await mkdir(join(folder, 'taken'))
  await writeFile(join(folder, 'definition.json'), JSON.stringify(definition))
  await writeFile(join(folder, 'taken/a.json'), JSON.stringify({ test: 'a', rights: [right] }))
  const { status, said } = await runHere(line.split(' '))
  expect([1, 2]).toContain(status)
  expect(said).toMatch(/^wherry: [^\n]+\n$/)
  expect(said).toContain(named)
})

/** A script with pieces that only a shell understands, or that no command of ours has. */
const script = fc
  .array(
    fc.constantFrom(
      'wherry ',
      'crd ',
      'x ',
      '--out ',
      '--crd=a ',
      '"',
      "'",
      '\\\\',
      '$A',
      '|',
      '&&',
      ';',
      '\n',
      '*',
      '[',
      '\u001b',
    ),
  )
  .map(parts => `wherry ${parts.join('')}`)

it('check says in lines what is at fault, for any package.json', async () => {
  const manifest = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.dictionary(fc.string({ unit: 'binary' }), script).map(scripts => JSON.stringify({ scripts })),
    },
    { weight: 1, arbitrary: fileOf({ name: 'a', scripts: { crd: 'wherry x --out y' } }) },
  )
  await fc.assert(
    fc.asyncProperty(manifest, async content => {
      await writeFile(join(folder, 'package.json'), content)
      const { status, said } = await runHere(['check'])
      expect([1, 2]).toContain(status)
      expect(said).toMatch(/^((wherry|error): [^\n]+\n|\(wherry --help prints the usage\)\n)+$/)
      expect(said).not.toMatch(controls)
    }),
    runs(50),
  )
})

const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' }, data: { a: 'b' } }
const definition = {
  ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
  metadata: { name: 'games.example.com' },
  spec: {
    ...{ group: 'example.com', scope: 'Namespaced', names: { kind: 'Game', plural: 'games' } },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
}

it('server and dev run, or end with one line, for any definitions and any objects that are kept', async () => {
  await mkdir(join(folder, 'crd'))
  const server = ['server', '--port', '0', '--crd', 'crd']
  await fc.assert(
    fc.asyncProperty(fileOf(definition), async content => {
      await writeFile(join(folder, 'crd/a.yaml'), content)
      await expectWords(server)
    }),
    runs(6),
  )
  await rm(join(folder, 'crd/a.yaml'))
  await fc.assert(
    fc.asyncProperty(fileOf({ items: [definition, object] }), async content => {
      await writeFile(join(folder, 'kept'), content)
      await expectWords(['dev', '--port', '0', '--page', '0', '--crd', 'crd', '--keep', 'kept'])
    }),
    runs(3),
  )
})
