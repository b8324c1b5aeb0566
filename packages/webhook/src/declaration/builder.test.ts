import { defineResource, type KubernetesObject } from '@wherry/client'
import { leases } from '@wherry/client/resources/coordination'
import { events, namespaces, pods } from '@wherry/client/resources/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { games } from '../testkit/games.ts'
import { inMemory } from '../testkit/in-memory.ts'
import { NamedWebhook } from './builder.ts'
import { checkWhen } from './when.ts'

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

describe('when', () => {
  it.each([
    'object.spec.replicas != oldObject.?spec.?replicas.orValue(0)',
    "'it''s' == \"(\" // a comment (",
    "r'\\' == 'a\\'b'",
    '"""a " \n )""" != \'\'',
    '[1, 2].exists(x, x in {"a": 1}) // (',
  ])('takes %j', expression => {
    expect(() => checkWhen('when', expression)).not.toThrow()
  })

  it.each([
    ['(a', 'an expression without its last )'],
    ['a)', 'a ) at character 2 that closes nothing'],
    ['[a)', 'a ) at character 3 that closes nothing'],
    ["a == 'b", 'a string that begins at character 6 and does not end'],
    ["'a\n'", 'a string that begins at character 1'],
  ])('refuses %j', (expression, problem) => {
    expect(() => checkWhen('when', expression)).toThrow(problem)
  })

  it('takes whatever is closed', () => {
    const atom = fc.constantFrom('a', '1', '"x)"', "'('", "r'\\'")
    const { tree } = fc.letrec<{ tree: string }>(tie => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        atom,
        fc.tuple(tie('tree'), tie('tree')).map(([a, b]) => `(${a} + [${b}])`),
      ),
    }))
    fc.assert(
      fc.property(tree, expression => {
        expect(() => checkWhen('when', expression)).not.toThrow()
        expect(() => checkWhen('when', `${expression})`)).toThrow('closes nothing')
        expect(() => checkWhen('when', `{${expression}`)).toThrow('without its last }')
      }),
    )
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
