import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import type { OperatorDeclaration } from '../program/declaration.ts'
import { publishingProgram, recordIn } from '../testkit/published.ts'
import { run } from '../testkit/run.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wherry-webhook-manifests-'))
  await recordIn(folder, 'plays', [{ verb: 'watch', ...games, namespace: 'default' }])
})

afterEach(() => rm(folder, { recursive: true }))

const games = { group: 'arcade.example.com', resource: 'games' }
const conversion = { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'] } }
const details = {
  ...{ service: { namespace: 'game', name: 'game-webhooks', port: 443 }, port: 9443, fails: true },
  configured: ['validatingwebhookconfiguration/arcade'],
  configurations: [] as object[],
  conversions: [{ definition: 'games.arcade.example.com', conversion }],
}

function webhookOperator(
  more: Partial<typeof details> & { readonly host?: string; readonly address?: string; readonly files?: string[] } = {},
  declaration: Partial<OperatorDeclaration> = {},
): Promise<void> {
  return publishingProgram(folder, {
    ...{ name: 'arcade', leader: true, namespaces: ['game'], controllers: ['game'] },
    health: { host: '0.0.0.0', port: 8080, tls: false, metrics: false, tokenReview: false },
    rights: [{ verb: 'watch', ...games, namespace: 'game', by: 'controller game: for' }],
    components: [{ name: 'webhooks', details: { ...details, ...more } }],
    ...declaration,
  })
}

const line = 'manifests main.mjs --name game'

/** The documents after the roles, by `KIND NAME`. */
async function documents(more = ''): Promise<ReadonlyMap<string, Record<string, unknown>>> {
  const { status, stdout, stderr } = await run(`${line}${more}`, folder)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const all = parseAllDocuments(stdout).map(one => one.toJS())
  return new Map(all.slice(4).map(one => [`${one.kind} ${one.metadata.namespace ?? '-'}/${one.metadata.name}`, one]))
}

const conversions = { conversions: [] }

it('K7: webhooks have a Service, a port, two replicas without a gap, and a budget for them', async () => {
  await webhookOperator(conversions)
  const all = await documents()
  const labels = { 'app.kubernetes.io/name': 'game' }
  expect([...all.keys()]).toEqual([
    'Deployment game/game',
    'Service game/game-webhooks',
    'PodDisruptionBudget game/game',
  ])
  expect(all.get('Deployment game/game')).toMatchObject({
    spec: {
      replicas: 2,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0 } },
      template: {
        spec: {
          // One node that goes takes one replica along.
          topologySpreadConstraints: [
            { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: labels } },
          ],
          containers: [
            {
              imagePullPolicy: 'IfNotPresent',
              ports: [
                { name: 'health', containerPort: 8080 },
                { name: 'webhooks', containerPort: 9443 },
              ],
              readinessProbe: { httpGet: { path: '/readyz', port: 'health' } },
            },
          ],
        },
      },
    },
  })
  expect(all.get('Service game/game-webhooks')?.spec).toEqual({
    selector: labels,
    ports: [{ name: 'webhooks', port: 443, targetPort: 'webhooks' }],
  })
  expect(all.get('PodDisruptionBudget game/game')?.spec).toEqual({
    minAvailable: 1,
    selector: { matchLabels: labels },
  })
})

it('K7: webhooks that may be away need no second replica and no budget', async () => {
  await webhookOperator({ ...conversions, fails: false }, { leader: false })
  const all = await documents()
  expect([...all.keys()]).toEqual(['Deployment game/game', 'Service game/game-webhooks'])
  expect(all.get('Deployment game/game')?.spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } })
  // Of an operator without controllers, two do no harm.
  await webhookOperator(conversions, { leader: false, controllers: [] })
  expect((await documents()).get('Deployment game/game')?.spec).toMatchObject({ replicas: 2 })
})

it('K7: a NetworkPolicy, if it is asked for, lets in what is served', async () => {
  await webhookOperator(conversions)
  const policy = (await documents(' --network-policy')).get('NetworkPolicy game/game')
  expect(policy?.spec).toEqual({
    podSelector: { matchLabels: { 'app.kubernetes.io/name': 'game' } },
    policyTypes: ['Ingress'],
    ingress: [
      {
        ports: [
          { protocol: 'TCP', port: 8080 },
          { protocol: 'TCP', port: 9443 },
        ],
      },
    ],
  })
})

it('K7: configurations that a manifest has come last, and the comment says in which order all of it goes', async () => {
  const configuration = {
    ...{ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration' },
    ...{ metadata: { name: 'arcade' }, webhooks: [] },
  }
  await webhookOperator({ ...conversions, configurations: [configuration] })
  const all = await documents()
  expect([...all].at(-1)).toEqual(['ValidatingWebhookConfiguration -/arcade', configuration])
  expect((await run(line, folder)).stdout).toContain(`
# To uninstall, in this order:
#   kubectl delete --ignore-not-found --namespace game deployment game
#   kubectl delete --ignore-not-found validatingwebhookconfiguration/arcade  (until then its requests are refused)
#   kubectl delete --ignore-not-found -k .
apiVersion: v1
`)
})

const definition = {
  ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
  metadata: { name: 'games.arcade.example.com' },
  spec: {
    ...{ group: 'arcade.example.com', scope: 'Namespaced', names: { plural: 'games', kind: 'Game' } },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
}

it('K5: the kustomization patches the conversion into the definition, and --check fails if it is another', async () => {
  await webhookOperator()
  await mkdir(join(folder, 'deploy/crd'), { recursive: true })
  await writeFile(join(folder, 'deploy/crd/games.json'), JSON.stringify(definition))
  const written = `${line} --out deploy`
  expect(await run(written, folder)).toMatchObject({ status: 0, stderr: '' })
  const kustomization = await readFile(join(folder, 'deploy/kustomization.yaml'), 'utf8')
  const [{ patches }] = parseAllDocuments(kustomization).map(one => one.toJS()) as [{ patches: { patch: string }[] }]
  expect(patches).toMatchObject([{ target: { kind: 'CustomResourceDefinition', name: 'games.arcade.example.com' } }])
  const [operations] = parseAllDocuments(patches[0]?.patch ?? '').map(one => one.toJS())
  expect(operations).toEqual([{ op: 'add', path: '/spec/conversion', value: conversion }])
  expect(await readFile(join(folder, 'deploy/game.yaml'), 'utf8')).toContain(
    '#   kubectl delete crd games.arcade.example.com  (and all of its objects)\n',
  )
  expect(await run(`${written} --check`, folder)).toMatchObject({ status: 0 })
  await webhookOperator(conversions)
  const check = await run(`${written} --check`, folder)
  expect(check.status).toBe(1)
  expect(check.stdout).toContain(`${join('deploy', 'kustomization.yaml')}: stale`)
})

it('K7: a definition that the kustomization does not have is named, and so is what a user has to add', async () => {
  await webhookOperator({ address: 'games.example.com', files: ['/certs/tls.crt'] })
  const { status, stdout, stderr } = await run(line, folder)
  expect([status, stdout.includes('kind: Service\n')]).toEqual([0, false])
  expect(stderr.trim().split('\n')).toEqual([
    'wherry: no conversion in kustomization.yaml: games.arcade.example.com is in no file of deploy/crd below .',
    'wherry: no Service for the webhooks: the API server calls them at games.example.com',
    'wherry: mount the files of the certificates in an overlay: /certs/tls.crt',
  ])
})

it.each([
  [{ port: 0 }, {}, 'serves its webhooks at a free port'],
  [{ host: '127.0.0.1' }, {}, 'which no API server can reach'],
  [{ service: { ...details.service, namespace: 'other' } }, {}, 'a Service in other, which leads to no Pod in game'],
  [{}, { leader: false }, 'say leader: true'],
  [{}, { components: [{ name: 'webhooks', details: { port: 9443 } }] }, 'has a @wherry/webhook of another version'],
])('K7: refuses webhooks that would not be reached, or not be there: %o %o', async (more, declaration, message) => {
  await webhookOperator({ ...conversions, ...more }, declaration)
  const ran = await run(line, folder)
  expect(ran).toMatchObject({ status: 1, stdout: '' })
  expect(ran.stderr).toContain(message)
})
