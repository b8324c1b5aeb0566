import { defineResource, isApiError, type KubernetesObject, type Resource } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { events, namespaces, secrets } from '@wherry/client/resources/core'
import { ingresses } from '@wherry/client/resources/networking'
import { conditionOf } from '@wherry/controller'
import type { Stage } from '../../tools/runner/stage.ts'
import { configName, configs } from './config.ts'
import type { Constraint, ConstraintStatus } from './constraint.ts'
import type { KindName } from './kinds.ts'
import { type ConstraintTemplate, constraintsOf, definitionName, templates } from './template.ts'
import { requiredLabels, uniqueHosts } from './testkit/templates.ts'

/** Of the webhooks. */
const authorities = { namespace: 'policy-system', name: 'policy-sync-webhook-authorities' }
const ingressKind = { group: 'networking.k8s.io', kind: 'Ingress' }
const gameKind = { group: 'arcade.example.com', kind: 'Game' }

const games: Resource<KubernetesObject & { spec: { title: string } }, 'namespaced'> = defineResource<
  KubernetesObject & { spec: { title: string } }
>({ ...gameKind, version: 'v1', plural: 'games', namespaced: true })

/** Plays the users of the operator. */
export async function verify({ client, start, rest, until, say }: Stage): Promise<void> {
  const program = start()
  const create = async (of: ConstraintTemplate, constraint: Constraint): Promise<void> => {
    await client.create(templates, of)
    await until(`the kind ${of.spec.kind} is served`, () => attempt(client.create(constraintsOf(of), constraint)))
  }
  const status = async (of: ConstraintTemplate, name: string): Promise<ConstraintStatus> =>
    (await client.get(constraintsOf(of), { name }))?.status ?? {}
  const isAudited = async (of: ConstraintTemplate, name: string, total: number): Promise<boolean> => {
    const { conditions, totalViolations } = await status(of, name)
    return conditionOf(conditions, 'Audited')?.status === 'True' && totalViolations === total
  }
  const readiness = async ({ metadata: { name = '' } = {} }: ConstraintTemplate): Promise<string | undefined> =>
    conditionOf((await client.get(templates, { name }))?.status?.conditions, 'Ready')?.reason
  const sync = (kinds: KindName[]): Promise<unknown> =>
    client.apply(configs, { metadata: { name: configName }, spec: { sync: kinds } }, { fieldManager: 'user' })
  const isIn = async ({ kind }: KindName, state: string): Promise<boolean> =>
    (await client.get(configs, { name: configName }))?.status?.kinds?.find(one => one.kind === kind)?.state === state

  await client.create(namespaces, { metadata: { name: 'arcade' } })
  await sync([ingressKind, gameKind])
  await until('Ingresses are synced', () => isIn(ingressKind, 'Synced'))
  await until('games are pending', () => isIn(gameKind, 'Pending'))
  say('a kind that is not installed is pending')

  await create(uniqueHosts, {
    metadata: { name: 'hosts' },
    spec: { match: [ingressKind], enforcementAction: 'warn' },
  })
  await client.create(ingresses, ingress('a', 'one.example.com'))
  await client.create(ingresses, ingress('b', 'one.example.com'))
  await until('both Ingresses of one host are named', () => isAudited(uniqueHosts, 'hosts', 2))
  const reported = async (times: number): Promise<boolean> =>
    (await client.list(events)).items.some(({ message, count = 1 }) => message?.includes('arcade/b') && count >= times)
  await until('an event reports it', () => reported(1))
  await client.delete(ingresses, { namespace: 'arcade', name: 'b' })
  await until('the host is unique again', () => isAudited(uniqueHosts, 'hosts', 0))
  await client.create(ingresses, ingress('b', 'one.example.com'))
  await until('the event is counted', () => reported(2))
  say('a policy looks other objects up: no two Ingresses with one host')

  const answer = (host: string): Promise<string> =>
    client.create(ingresses, ingress('c', host), { dryRun: true }).then(
      () => 'taken',
      error => (isApiError(error) ? error.message : Promise.reject(error)),
    )
  if ((await answer('one.example.com')) !== 'taken') throw new Error('a constraint that warns refuses')
  await client.patch(constraintsOf(uniqueHosts), { name: 'hosts' }, { spec: { enforcementAction: 'deny' } })
  await until('a third Ingress of the host is refused', async () =>
    (await answer('one.example.com')).includes('hosts: another Ingress has the host'),
  )
  if ((await answer('two.example.com')) !== 'taken') throw new Error('an Ingress of another host is refused')
  say('what an audit would find is refused, once the constraint says so')

  const keys = async (): Promise<number> => Object.keys((await client.get(secrets, authorities))?.data ?? {}).length
  const count = await keys()
  await client.patch(secrets, authorities, { data: null })
  await until('the Secret is whole again', async () => count > 0 && (await keys()) === count)
  say('a Secret of the webhooks that somebody empties is mended')

  await create(requiredLabels, {
    metadata: { name: 'owners' },
    spec: { match: [{ group: '', kind: 'Namespace' }, gameKind], parameters: { labels: ['owner'] } },
  })
  const waits = async (): Promise<boolean> =>
    conditionOf((await status(requiredLabels, 'owners')).conditions, 'Audited')?.reason === 'NotInstalled'
  await until('the constraint waits for games', waits)
  await client.create(customResourceDefinitions, definitionOfGames)
  const chess = { metadata: { namespace: 'arcade', name: 'chess' }, spec: { title: 'Chess' } }
  await until('games are served', () => attempt(client.create(games, chess)))
  await until('games are synced', () => isIn(gameKind, 'Synced'))
  const names = async (): Promise<boolean> =>
    ((await status(requiredLabels, 'owners')).violations ?? []).some(({ kind }) => kind.startsWith('Game.'))
  await until('the game without an owner is named', names)
  say('it is watched once its definition comes')

  await client.delete(customResourceDefinitions, { name: 'games.arcade.example.com' })
  await until('games are pending again', () => isIn(gameKind, 'Pending'))
  await until('the game is not named any more', async () => !(await names()))
  await client.create(customResourceDefinitions, definitionOfGames)
  await until('games are served again', () => attempt(client.create(games, chess)))
  await until('the game is named again', names)
  say('a kind that goes is pending, and watched again when it comes back')

  const bad = { spec: { expression: 'object.spec.(' } }
  await client.patch(templates, { name: 'uniquehosts' }, bad)
  await until('the template says so', async () => (await readiness(uniqueHosts)) === 'DoesNotCompile')
  await client.patch(games, chess.metadata, { metadata: { labels: { owner: 'me' } } })
  await until('the other policy goes on', async () => !(await names()))
  say('a policy that does not compile is named, and the others go on')

  await client.delete(templates, { name: 'uniquehosts' })
  const definition = { name: definitionName('uniquehosts') }
  await until('its definition is gone', async () => !(await client.get(customResourceDefinitions, definition)))
  say('a template that goes takes its constraints along')
  await rest(program)
}

function ingress(name: string, host: string): object {
  const backend = { service: { name: 'web', port: { number: 80 } } }
  const http = { paths: [{ path: '/', pathType: 'Prefix', backend }] }
  return { metadata: { namespace: 'arcade', name }, spec: { rules: [{ host, http }] } }
}

/** A kind that is not served at once, once its definition is there. */
async function attempt(call: Promise<unknown>): Promise<boolean> {
  try {
    await call
    return true
  } catch {
    return false
  }
}

const definitionOfGames = {
  metadata: { name: 'games.arcade.example.com' },
  spec: {
    group: 'arcade.example.com',
    scope: 'Namespaced',
    names: { kind: 'Game', listKind: 'GameList', plural: 'games', singular: 'game' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { title: { type: 'string' } } } },
          },
        },
      },
    ],
  },
}
