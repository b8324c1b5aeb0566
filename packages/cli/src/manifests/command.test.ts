import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import type { OperatorDeclaration } from '../program/declaration.ts'
import { publishingProgram, recordIn } from '../testkit/published.ts'
import { run } from '../testkit/run.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wherry-manifests-'))
})

afterEach(() => rm(folder, { recursive: true }))

const games = { group: 'arcade.example.com', resource: 'games' }
const health = { host: '0.0.0.0', port: 8080, tls: false, metrics: false, tokenReview: false }

/** An operator of games in its own namespace. */
async function gameOperator(more: Partial<OperatorDeclaration> = {}): Promise<void> {
  const rights = [{ verb: 'watch', ...games, namespace: 'game', by: 'controller game: for' }]
  await publishingProgram(folder, { ...{ name: 'game', leader: false, namespaces: ['game'], rights }, ...more })
  await recordIn(folder, 'plays', [{ verb: 'watch', ...games, namespace: 'default' }])
}

interface Document {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly spec?: Record<string, unknown>
}

async function documents(line: string): Promise<readonly Document[]> {
  const { status, stdout, stderr } = await run(line, folder)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return parseAllDocuments(stdout).map(one => one.toJS())
}

const golden = `# wherry manifests writes this file. Change it by an overlay, which stays yours.
apiVersion: v1
kind: Namespace
metadata:
  name: game
  labels:
    pod-security.kubernetes.io/enforce: restricted
---
apiVersion: v1
kind: ServiceAccount
metadata:
  name: game
  namespace: game
  labels:
    app.kubernetes.io/name: game
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: game
  namespace: game
rules:
  # controller game: for
  # plays
  - apiGroups:
      - arcade.example.com
    resources:
      - games
    verbs:
      - list
      - watch
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: game
  namespace: game
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: game
subjects:
  - kind: ServiceAccount
    name: game
    namespace: game
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: game
  namespace: game
  labels:
    app.kubernetes.io/name: game
spec:
  replicas: 1
  strategy:
    type: Recreate
  selector:
    matchLabels:
      app.kubernetes.io/name: game
  template:
    metadata:
      labels:
        app.kubernetes.io/name: game
    spec:
      serviceAccountName: game
      terminationGracePeriodSeconds: 45
      securityContext:
        runAsNonRoot: true
        seccompProfile:
          type: RuntimeDefault
      containers:
        - name: operator
          image: game:latest
          imagePullPolicy: IfNotPresent
          env:
            - name: NODE_ENV
              value: production
            - name: NODE_OPTIONS
              value: --max-semi-space-size=4
          ports:
            - name: health
              containerPort: 8080
          livenessProbe:
            httpGet:
              path: /healthz
              port: health
            periodSeconds: 10
            failureThreshold: 6
          readinessProbe:
            httpGet:
              path: /readyz
              port: health
            periodSeconds: 5
          resources:
            requests:
              cpu: 10m
              memory: 96Mi
            limits:
              memory: 256Mi
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities:
              drop:
                - ALL
`

it('K7: writes all that an operator is deployed with, and the same again', async () => {
  await gameOperator({ health })
  const line = 'manifests main.mjs --name game'
  expect(await run(line, folder)).toEqual({ status: 0, stdout: golden, stderr: '' })
  expect((await run(line, folder)).stdout).toBe(golden)
})

it('K7: with a leader there are two replicas, and a rolling update', async () => {
  await gameOperator({ health, leader: true })
  const deployment = (await documents('manifests main.mjs --name game --image example.com/game:7')).at(-1)
  expect(deployment?.spec).toMatchObject({ replicas: 2 })
  expect(deployment?.spec).not.toHaveProperty('strategy')
  expect(JSON.stringify(deployment)).toContain('"image":"example.com/game:7"')
})

it('K7: processes that share objects by uid are a StatefulSet, which numbers their hosts', async () => {
  await gameOperator({ health, leader: true, processes: 3 })
  const set = (await documents('manifests main.mjs --name game')).at(-1)
  expect(set).toMatchObject({
    kind: 'StatefulSet',
    spec: { replicas: 3, serviceName: 'game', podManagementPolicy: 'Parallel' },
  })
  expect(set?.spec).not.toHaveProperty('strategy')
})

it('K7: metrics have a Service, and a ServiceMonitor if it is asked for, with the token that they need', async () => {
  await gameOperator({ health: { ...health, port: 9443, tls: true, metrics: true, tokenReview: true } })
  const kinds = (all: readonly Document[]): string[] =>
    all.slice(4).map(({ kind, metadata }) => `${kind} ${metadata.name}`)
  const plain = ['ClusterRole game-metrics-reader', 'Deployment game', 'Service game-metrics']
  expect(kinds(await documents('manifests main.mjs --name game'))).toEqual(plain)
  const all = await documents('manifests main.mjs --name game --service-monitor')
  expect(kinds(all)).toEqual([...plain, 'ServiceMonitor game'])
  expect(all.at(-2)?.spec).toEqual({
    selector: { 'app.kubernetes.io/name': 'game' },
    ports: [{ name: 'metrics', port: 9443, targetPort: 'health' }],
  })
  expect(all.at(-1)?.spec).toEqual({
    selector: { matchLabels: { 'app.kubernetes.io/name': 'game' } },
    endpoints: [
      {
        port: 'metrics',
        scheme: 'https',
        bearerTokenFile: '/var/run/secrets/kubernetes.io/serviceaccount/token',
      },
    ],
  })
  expect(JSON.stringify(all)).toContain('"path":"/readyz","port":"health","scheme":"HTTPS"')
})

it('K7: each role is bound in its namespace', async () => {
  const places = { a: 'update', b: 'patch', c: 'create' }
  const rights = [
    ...Object.entries(places).map(([namespace, verb]) => ({ verb, ...games, namespace, by: 'controller' })),
    // What is granted in the cluster needs no role in a namespace.
    { verb: 'create', ...games, by: 'controller' },
  ]
  await gameOperator({ health, rights })
  const bindings = (await documents('manifests main.mjs --name game')).filter(({ kind }) => kind.endsWith('Binding'))
  expect(bindings.map(({ kind, metadata }) => `${kind} ${metadata.namespace}`)).toEqual([
    'ClusterRoleBinding undefined',
    'RoleBinding a',
    'RoleBinding b',
  ])
  const subjects = [{ kind: 'ServiceAccount', name: 'game', namespace: 'game' }]
  for (const one of bindings) expect(one).toMatchObject({ subjects, roleRef: { name: 'game' } })
})

it('K7: without a program the Deployment has no probes, and that is said', async () => {
  await recordIn(folder, 'plays', [{ verb: 'watch', ...games, namespace: 'game' }])
  const { stdout, stderr } = await run('manifests --name game', folder)
  expect(stderr).toBe('wherry: no probes: no program serves no health\n')
  expect(stdout).not.toContain('Probe')
})

it('K5: --check fails for a manifest that is missing or stale, and the kustomization has the definitions', async () => {
  await gameOperator({ health })
  await mkdir(join(folder, 'deploy/crd'), { recursive: true })
  await writeFile(join(folder, 'deploy/crd/games.arcade.example.com.yaml'), definition)
  const line = 'manifests main.mjs --namespace game --name game --image x.com/game:1 --out deploy'
  const renews = `wherry: files are not current; this command renews them: wherry ${line}\n`
  const said = (...states: string[]): string =>
    ['game', 'kustomization'].map((name, at) => `${join('deploy', `${name}.yaml`)}: ${states[at]}\n`).join('')
  expect(await run(`${line} --check`, folder)).toEqual({
    status: 1,
    stdout: said('missing', 'missing'),
    stderr: renews,
  })
  expect(await run(line, folder)).toMatchObject({ status: 0, stdout: said('written', 'written') })
  expect(await run(`${line} --check`, folder)).toMatchObject({ status: 0, stdout: said('current', 'current') })
  expect(await readFile(join(folder, 'deploy/kustomization.yaml'), 'utf8')).toBe(
    'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n  - crd/games.arcade.example.com.yaml\n  - game.yaml\n',
  )
  await recordIn(folder, 'scores', [{ verb: 'delete', ...games, namespace: 'default', name: 'chess' }])
  expect(await run(`${line} --check`, folder)).toEqual({ status: 1, stdout: said('stale', 'current'), stderr: renews })
})

it('K7: the kustomization has the policies too, after the definitions and before the operator', async () => {
  await gameOperator({ health })
  const crd = join(folder, 'deploy/crd')
  await mkdir(crd, { recursive: true })
  await run(`crd policies.ts --out ${crd}`)
  await writeFile(join(crd, 'players.arcade.example.com.yaml'), definition.replaceAll('games', 'players'))
  const line = 'manifests main.mjs --namespace game --name game --out deploy'
  expect(await run(line, folder)).toMatchObject({ status: 0, stderr: '' })
  const { resources } = parse(await readFile(join(folder, 'deploy/kustomization.yaml'), 'utf8'))
  expect(resources).toEqual([
    'crd/players.arcade.example.com.yaml',
    'crd/owner.policy.yaml',
    'crd/player-limit.policy.yaml',
    'game.yaml',
  ])
})

it.each([
  ['', { ...health, port: 0 }, 1, 'serves its health at a free port'],
  ['', { ...health, host: '127.0.0.1' }, 1, "at 127.0.0.1, which kubelet can't reach"],
  [' --service-monitor', health, 1, 'main.mjs serves no metrics'],
  [' --check', health, 2, '--check needs --out'],
  [' --name Game', health, 2, '--name Game'],
])('K7: refuses what would not run: %s %o', async (more, its, status, message) => {
  await gameOperator({ health: its })
  const ran = await run(`manifests main.mjs --name game${more}`, folder)
  expect(ran).toMatchObject({ status, stdout: '' })
  expect(ran.stderr).toContain(message)
})

const definition = JSON.stringify({
  ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
  metadata: { name: 'games.arcade.example.com' },
  spec: {
    ...{ group: 'arcade.example.com', scope: 'Namespaced', names: { plural: 'games', kind: 'Game' } },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
})
