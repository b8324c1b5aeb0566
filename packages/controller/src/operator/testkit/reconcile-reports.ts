import { type Client, isForbidden } from '@wherry/client'
import { configMaps, namespaces } from '@wherry/client/resources/core'
import type { ApiServer } from '@wherry/testing'
import { expect, it } from 'vitest'
import { ApplyDelayedError, NotAbsentError } from '../../apply/errors.ts'
import { generationChanged, labelsChanged } from '../../predicates/changed.ts'
import { operating, patient, until } from './both-servers.ts'

const finalizers = ['wherry.example.com/hold']
const inNamespace = (namespace: string) => configMaps.within({ namespaces: [namespace], labels: { role: 'primary' } })
const primary = (name: string, namespace: string) => ({ metadata: { name, namespace, labels: { role: 'primary' } } })
const makeNamespace = (client: Client, name: string): Promise<unknown> =>
  client.create(namespaces, { metadata: { name } })

/** What reconciles receive of the end of objects, and of objects that they do not see, from any server. */
export function whatReconcilesAreReported(server: () => ApiServer): void {
  it.each([
    ['labels', labelsChanged],
    ['generation', generationChanged],
    ['own', () => false],
  ])('C4: a deletion that a finalizer holds up passes every predicate (%s)', (which, predicate) =>
    operating(server(), async ({ operator, client, errors, run }) => {
      const namespace = `seen-${which}`
      await makeNamespace(client, namespace)
      operator
        .controller('primary')
        .for(inNamespace(namespace))
        .withPredicates(predicate)
        .reconcile(async ({ object, key, client: own }) => {
          if (object.metadata.deletionTimestamp === undefined) return
          await own.patch(configMaps, key, { metadata: { finalizers: null } })
        })
      const held = primary('held', namespace)
      await client.create(configMaps, { metadata: { ...held.metadata, finalizers } })
      run()
      await operator.settled(patient)
      await client.delete(configMaps, held.metadata)
      await until(async () => expect(await client.get(configMaps, held.metadata)).toBeUndefined())
      expect(errors).toEqual([])
    }),
  )

  it('C19: a controller without primary objects runs at the start, and for what it watches', () =>
    operating(server(), async ({ operator, client, errors, run }) => {
      const namespace = 'seen-singleton'
      await makeNamespace(client, namespace)
      const view = inNamespace(namespace)
      const made = { name: 'names', namespace }
      operator
        .controller('names')
        .singleton()
        .watches(view)
        .reconcile(async ({ read, apply }) => {
          const names = (await read.list(view)).map(({ metadata }) => metadata.name)
          await apply(configMaps, { metadata: made, data: { names: names.sort().join() } })
        })
      run()
      await operator.settled(patient)
      const said = async (): Promise<string | undefined> => (await client.get(configMaps, made))?.data?.names
      expect(await said()).toBe('')
      for (const name of ['one', 'other']) await client.create(configMaps, primary(name, namespace))
      await until(async () => expect(await said()).toBe('one,other'))
      await client.delete(configMaps, { name: 'one', namespace })
      await until(async () => expect(await said()).toBe('other'))
      expect((await client.get(configMaps, made))?.metadata?.ownerReferences).toBeUndefined()
      expect(errors).toEqual([])
    }))

  it('C23: a run waits for one object, and then takes another one away', () =>
    operating(server(), async ({ operator, client, errors, run }) => {
      const namespace = 'seen-ready'
      await makeNamespace(client, namespace)
      const reported: string[] = []
      let hasEnded = false
      operator
        .controller('steps')
        .for(inNamespace(namespace))
        .reconcile(async ({ ready, gone }) => {
          const waiting = (message: string): void => void reported.push(message)
          await ready(configMaps, { name: 'awaited' }, ({ data }) => data?.is === 'done', { waiting })
          await gone(configMaps, { name: 'awaited' }, { waiting })
          hasEnded = true
        })
      await client.create(configMaps, primary('one', namespace))
      run()
      await operator.settled(patient)
      expect(reported.at(-1)).toBe('waits for v1/configmaps awaited: it does not exist')
      const awaited = { name: 'awaited', namespace }
      await client.create(configMaps, { metadata: { ...awaited, finalizers }, data: { is: 'begun' } })
      await until(async () => expect(reported.at(-1)).toBe('waits for v1/configmaps awaited: it is not ready'))
      await client.patch(configMaps, awaited, { data: { is: 'done' } })
      await until(async () => expect(reported.at(-1)).toBe('waits for v1/configmaps awaited: it is being deleted'))
      expect(hasEnded).toBe(false)
      await client.patch(configMaps, awaited, { metadata: { finalizers: null } })
      await until(async () => expect(reported.at(-1)).toBe('waits for v1/configmaps awaited: it does not exist'))
      expect(errors).toEqual([])
    }))

  it('C2: an object that leaves the view by its labels has left, and one that is deleted is gone', () =>
    operating(server(), async ({ operator, client, errors, run }) => {
      const namespace = 'seen-left'
      await makeNamespace(client, namespace)
      const reported: string[] = []
      operator
        .controller('primary')
        .for(inNamespace(namespace))
        .reconcile(() => {})
        .onGone(({ key }) => void reported.push(`${key.name} is gone`))
        .onLeft(({ key }) => void reported.push(`${key.name} has left`))
      for (const name of ['one', 'other']) await client.create(configMaps, primary(name, namespace))
      run()
      await operator.settled(patient)
      await client.patch(configMaps, { name: 'one', namespace }, { metadata: { labels: { role: 'none' } } })
      await until(() => expect(reported).toEqual(['one has left']))
      await client.delete(configMaps, { name: 'other', namespace })
      await until(() => expect(reported).toEqual(['one has left', 'other is gone']))
      expect(errors).toEqual([])
    }))

  it('A1: a namespace that is being deleted is waited for, and no error is reported', () =>
    operating(server(), async ({ operator, client, errors, run }) => {
      const namespace = 'seen-dying'
      await makeNamespace(client, namespace)
      const refused: unknown[] = []
      operator
        .controller('primary')
        .for(inNamespace(namespace))
        .owns(configMaps.within({ namespaces: [namespace] }).metadata())
        .reconcile(async ({ apply, events }) => {
          events.record({ type: 'Normal', reason: 'Runs', message: `${refused.length}`, action: 'Run' })
          await apply(configMaps, { metadata: { name: 'made' } }).catch(error => {
            refused.push(error)
            throw error
          })
        })
      const { metadata } = primary('held', namespace)
      await client.create(configMaps, { metadata: { ...metadata, finalizers } })
      run()
      await until(async () => expect(await client.get(configMaps, { name: 'made', namespace })).toBeDefined())
      await client.delete(namespaces, { name: namespace })
      // A server that runs no controllers takes nothing away by itself.
      await client.delete(configMaps, { name: 'made', namespace })
      await until(() => expect(refused.length).toBeGreaterThan(0))
      const isRefusal = (error: unknown): boolean => error instanceof ApplyDelayedError && isForbidden(error.cause)
      expect(refused.filter(error => !isRefusal(error))).toEqual([])
      expect(errors).toEqual([])
      await client.patch(configMaps, metadata, { metadata: { finalizers: null } })
    }))

  it('A3: what a run has read as absent, and is there without the label of the view, is not overwritten', () =>
    operating(server(), async ({ operator, client, errors, run }) => {
      const namespace = 'seen-absent'
      await makeNamespace(client, namespace)
      const labelled = configMaps.within({ labels: { 'app.kubernetes.io/managed-by': 'wherry' } })
      let drawn = 0
      operator
        .controller('primary')
        .for(inNamespace(namespace))
        .reconcile(async ({ read, apply }) => {
          const there = await read.get(labelled, { name: 'made' })
          const password = there?.data?.password ?? `${++drawn}`
          await apply(labelled, { metadata: { name: 'made' }, data: { password } }, { adopt: true })
        })
      const made = { name: 'made', namespace }
      await client.create(configMaps, { metadata: made, data: { password: 'secret' } })
      await client.create(configMaps, primary('one', namespace))
      run()
      await until(() => expect(errors.some(error => error instanceof NotAbsentError)).toBe(true))
      expect((await client.get(configMaps, made))?.data).toEqual({ password: 'secret' })
      await client.patch(configMaps, made, { metadata: { labels: { 'app.kubernetes.io/managed-by': 'wherry' } } })
      await operator.settled(patient)
      expect((await client.get(configMaps, made))?.data).toEqual({ password: 'secret' })
      expect(drawn).toBeGreaterThan(0)
    }))
}
