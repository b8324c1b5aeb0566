import { defineResource, type KubernetesObject } from '@wherry/client'
import { leases } from '@wherry/client/resources/coordination'
import { events, namespaces, pods } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { games } from '../testkit/games.ts'
import { inMemory } from '../testkit/in-memory.ts'
import { NamedWebhook } from './builder.ts'

const resource = (group: string, kind: string, plural: string): ReturnType<typeof defineResource<KubernetesObject>> =>
  defineResource<KubernetesObject>({ group, version: 'v1', kind, plural, namespaced: false })

describe('X6: a webhook is refused when it is declared', () => {
  const declare = (view: unknown, options?: object) => () => new NamedWebhook('a').for(view as typeof games, options)

  it('for resources that it would be dangerous for, or never called for', () => {
    expect(declare(leases)).toThrow('leases.coordination.k8s.io: a webhook for leases stops the control plane')
    expect(declare(events)).toThrow('events: a webhook for events')
    expect(declare(resource('events.k8s.io', 'Event', 'events'))).toThrow('a webhook for events')
    expect(declare(resource('authentication.k8s.io', 'TokenReview', 'tokenreviews'))).toThrow('a webhook for reviews')
    expect(declare(resource('authorization.k8s.io', 'A', 'subjectaccessreviews'))).toThrow('a webhook for reviews')
    expect(declare(resource('admissionregistration.k8s.io', 'A', 'as'))).toThrow('calls no webhook')
    const all = {
      ...games,
      key: '*',
      labels: games.labels,
      fields: games.fields,
      projection: games.projection,
      within: games.within,
      resource: { ...games.resource, group: '*', plural: '*' },
    }
    expect(declare(all)).toThrow('*.*: a webhook for all resources')
    expect(declare(games)).not.toThrow()
  })

  it('for views that a configuration can not express', () => {
    expect(declare(games.metadata())).toThrow('got a metadata view')
    expect(declare(games.within({ fields: 'metadata.name=a' }))).toThrow('use when')
    expect(declare(games.within({ labels: 'size>3' }))).toThrow('label selectors without > and <')
  })

  it('with options that mean nothing', () => {
    expect(declare(games, { operations: [] })).toThrow('an empty list')
    expect(declare(games, { operations: ['CONNECT'] })).toThrow('operations[0] takes one of "CREATE"')
    expect(declare(games, { operations: ['CREATE', 'CREATE'] })).toThrow('each once')
    expect(declare(games, { where: 'x' })).toThrow('for.where is an unknown option')
    expect(declare(games, { when: ' ' })).toThrow('for.when takes a CEL expression, got an empty text')
    const builder = new NamedWebhook('a').for(games)
    expect(() => builder.timeoutSeconds(31)).toThrow('a whole number from 1 to 30')
    const deletes = new NamedWebhook('a').for(games, { operations: ['DELETE'] })
    // @ts-expect-error: there is no draft of a deletion
    expect(() => deletes.mutate(() => {})).toThrow('for.operations takes CREATE and UPDATE for mutate')
  })

  it('if it is incomplete, late, or has two handlers or the name of another one', () =>
    inMemory(async ({ webhooks, operator }) => {
      const named = webhooks.webhook('a')
      expect(() => webhooks.configurations()).toThrow('the webhook a lacks a resource: name it with .for(view)')
      const builder = named.for(games)
      expect(() => webhooks.configurations()).toThrow('the webhook a lacks a handler')
      builder.validate(() => {})
      expect(() => builder.validate(() => {})).toThrow('has a handler')
      expect(() => named.for(games)).toThrow('has a resource already')
      expect(() => webhooks.webhook('a')).toThrow('the name a is taken by another webhook')
      expect(() => webhooks.webhook('A')).toThrow('webhook.name takes lower-case letters')
      expect(() => webhooks.review('b', {} as never)).toThrow('there is no webhook b; there are: a')
      await operator.close()
      expect(() => webhooks.webhook('b')).toThrow('before the operator is run')
    }))
})

describe('a webhook that is declared', () => {
  const groups = new Set(['arcade.example.com'])
  const handler = (): void => {}

  it('reviews creations and changes, by default, and fails closed for a group of the operator only', () => {
    const named = new NamedWebhook('a')
    named.for(games).validate(handler)
    const defaults = {
      ...{ name: 'a', type: 'validating', view: games, subResource: undefined, operations: ['CREATE', 'UPDATE'] },
      ...{ updates: 'changed', when: undefined, reads: [], failurePolicy: 'Fail', timeoutSeconds: 5 },
      ...{ reinvocation: 'Never', handler },
    }
    expect(named.definition(groups)).toEqual(defaults)
    expect(named.definition(new Set(['example.com']))).toEqual({ ...defaults, failurePolicy: 'Ignore' })
  })

  it('has what its steps say, the last one of each kind', () => {
    const named = new NamedWebhook('a')
    const options = { operations: ['UPDATE'] as const, updates: 'all' as const, when: 'true' }
    const builder = named
      .for(games, options)
      .reads(pods)
      .reads(namespaces)
      .failurePolicy('Fail')
      .failurePolicy('Ignore')
      .timeoutSeconds(1)
      .timeoutSeconds(30)
      .reinvocation('IfNeeded')
      .mutate(handler)
    expect(builder.name).toBe('a')
    expect(named.definition(groups)).toEqual({
      ...{ name: 'a', type: 'mutating', view: games, subResource: undefined, ...options },
      ...{ reads: [pods, namespaces], failurePolicy: 'Ignore', timeoutSeconds: 30, reinvocation: 'IfNeeded', handler },
    })
  })

  it.each([
    ['status', (named: NamedWebhook) => named.forStatus(games, { when: 'true' }).validate(handler)],
    ['scale', (named: NamedWebhook) => named.forScale(games, { when: 'true' }).validate(handler)],
  ])('for the %s sees every update of it, and nothing else', (subResource, declare) => {
    const named = new NamedWebhook('a')
    declare(named)
    const rest = { operations: ['UPDATE'], updates: 'all', when: 'true' }
    expect(named.definition(groups)).toMatchObject({ subResource, ...rest })
  })
})

describe('X6: a step of a declaration is refused with what it takes', () => {
  const begun = (): ReturnType<typeof NamedWebhook.prototype.forStatus> => new NamedWebhook('a').for(games) as never
  const odd = (value: unknown): never => value as never
  const operations = 'for.operations takes a list of CREATE, UPDATE and DELETE, each once'
  it.each<[why: string, step: () => unknown]>([
    ['for takes a resource or a view of one', () => new NamedWebhook('a').for(odd(1))],
    ['for takes a resource or a view of one', () => new NamedWebhook('a').forStatus(odd('games'))],
    ['for takes an object of options', () => new NamedWebhook('a').for(games, odd([]))],
    [`${operations}, got string`, () => new NamedWebhook('a').for(games, odd({ operations: 'CREATE' }))],
    [`${operations}, got an empty list`, () => new NamedWebhook('a').for(games, { operations: [] })],
    [`${operations}, got UPDATE, UPDATE`, () => new NamedWebhook('a').for(games, { operations: ['UPDATE', 'UPDATE'] })],
    [
      'for.operations[1] takes one of "CREATE", "UPDATE", "DELETE", got "delete"',
      () => new NamedWebhook('a').for(games, odd({ operations: ['CREATE', 'delete'] })),
    ],
    [
      'for.updates takes one of "changed", "all", got "some"',
      () => new NamedWebhook('a').for(games, odd({ updates: 'some' })),
    ],
    ['for.when takes a string', () => new NamedWebhook('a').for(games, odd({ when: 1 }))],
    ['forStatus.when takes a CEL expression', () => new NamedWebhook('a').forStatus(games, { when: '(' })],
    ['forScale.when takes a CEL expression', () => new NamedWebhook('a').forScale(games, { when: '(' })],
    [
      'forStatus.operations is an unknown option',
      () => new NamedWebhook('a').forStatus(games, odd({ operations: ['CREATE'] })),
    ],
    ['forScale.updates is an unknown option', () => new NamedWebhook('a').forScale(games, odd({ updates: 'all' }))],
    ['reads takes a resource or a view of one', () => begun().reads(odd({}))],
    ['failurePolicy takes one of "Fail", "Ignore", got "Open"', () => begun().failurePolicy(odd('Open'))],
    ['timeoutSeconds takes a whole number from 1 to 30, got 0', () => begun().timeoutSeconds(0)],
    ['timeoutSeconds takes a whole number from 1 to 30, got 31', () => begun().timeoutSeconds(31)],
    ['reinvocation takes one of "Never", "IfNeeded", got "Always"', () => begun().reinvocation(odd('Always'))],
    ['validate takes a function, got undefined', () => begun().validate(odd(undefined))],
    ['mutate takes a function, got an object', () => begun().mutate(odd({}))],
  ])('%s', (why, step) => {
    expect(step).toThrow(why)
  })

  it('with the code of the problem', () => {
    const groups = new Set<string>()
    const named = new NamedWebhook('a')
    const incomplete = (message: string): unknown => expect.objectContaining({ code: 'WEBHOOK_INCOMPLETE', message })
    const used = (message: string): unknown => expect.objectContaining({ code: 'WEBHOOK_USED', message })
    expect(() => named.definition(groups)).toThrow(
      incomplete('the webhook a lacks a resource: name it with .for(view)'),
    )
    const builder = named.for(games)
    expect(() => named.definition(groups)).toThrow(
      incomplete('the webhook a lacks a handler: add it with .validate(fn) or .mutate(fn)'),
    )
    expect(() => named.forStatus(games)).toThrow(used('the webhook a has a resource already'))
    builder.validate(() => {})
    expect(() => builder.mutate(() => {})).toThrow(used('the webhook a has a handler: declare another webhook'))
    builder.reinvocation('IfNeeded')
    expect(() => named.definition(groups)).toThrow(
      'reinvocation takes nothing for a validating webhook, got "IfNeeded"',
    )
  })
})

describe('X6: a resource that no webhook is for', () => {
  const all = 'a webhook for all resources stops the whole cluster when it fails'
  const event = 'a webhook for events is called for all that happens in the cluster'
  const reviewed = 'a webhook for reviews would be called by the checks of its own requests'
  const lease = 'a webhook for leases stops the control plane, and the heartbeats of nodes, when it fails'
  const none = 'the API server calls no webhook for these'
  const attempt = (group: string, plural: string) => () =>
    new NamedWebhook('a').for({ ...named(games), resource: { ...games.resource, group, plural } } as never)
  const named = ({ key, labels, fields, projection, within }: typeof games): object => ({
    ...{ key, labels, fields, projection, within },
  })

  it.each([
    ['*', 'games', 'games.*', all],
    ['arcade.example.com', '*', '*.arcade.example.com', all],
    ['coordination.k8s.io', 'leases', 'leases.coordination.k8s.io', lease],
    ['', 'events', 'events', event],
    ['events.k8s.io', 'events', 'events.events.k8s.io', event],
    ['authentication.k8s.io', 'tokenreviews', 'tokenreviews.authentication.k8s.io', reviewed],
    ['authorization.k8s.io', 'x', 'x.authorization.k8s.io', reviewed],
    ['admissionregistration.k8s.io', 'x', 'x.admissionregistration.k8s.io', none],
  ])('is of the group "%s" and the plural %s', (group, plural, name, why) => {
    expect(attempt(group, plural)).toThrow(`for takes another resource, got ${name}: ${why}`)
  })

  it.each([
    ['coordination.k8s.io', 'leasecandidates'],
    ['example.com', 'leases'],
    ['example.com', 'events'],
    ['', 'pods'],
  ])('is not of the group "%s" and the plural %s', (group, plural) => {
    expect(attempt(group, plural)).not.toThrow()
  })

  it.each([
    [games.metadata(), 'for takes a resource, since a handler sees whole objects, got a metadata view'],
    [
      games.within({ fields: 'metadata.name=a' }),
      'for takes a view without a field selector, since the API server has none for webhooks: use when, got "metadata.name=a"',
    ],
    [games.within({ labels: 'size>3' }), 'for takes label selectors without > and <: use when, got "size>3"'],
    [games.within({ labels: 'a=1,size<3' }), 'for takes label selectors without > and <: use when'],
  ])('is in a view that a configuration can not express: %#', (view, why) => {
    expect(() => new NamedWebhook('a').for(view as typeof games)).toThrow(why)
  })
})

it('types narrow the objects of a request by its operation', () => {
  const seen: unknown[] = []
  new NamedWebhook('a').for(games, { operations: ['CREATE', 'DELETE'] }).validate(context => {
    if (context.operation === 'DELETE') {
      const none: undefined = context.object
      seen.push(none, context.old.metadata.uid)
      return
    }
    const none: undefined = context.old
    seen.push(none, context.object.spec?.players)
    // @ts-expect-error: no webhook of these operations is asked for an update
    seen.push(context.operation === 'UPDATE')
  })
  new NamedWebhook('b').for(namespaces, { operations: ['DELETE'] }).validate(({ old, object }) => {
    // @ts-expect-error: a DELETE has no object
    seen.push(old.metadata.name, object.metadata)
  })
  new NamedWebhook('c').forScale(pods).validate(({ object, old }) => void seen.push(object.spec?.replicas, old.spec))
  expect(seen).toEqual([])
})
