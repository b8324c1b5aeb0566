import { inspect } from 'node:util'
import { configMaps, events, type Secret, secrets } from '@wherry/client/resources/core'
import { Informer } from '@wherry/informer'
import { forEachSeed } from '@wherry/testing'
import { expect, it } from 'vitest'
import { jsonLine, textLine } from '../logging/stderr-logger.ts'
import { inArcade } from './testkit/arcade.ts'
import { game, games, secret } from './testkit/games.ts'

const decoded = ({ data }: Secret): string => Buffer.from(data?.value ?? '', 'base64').toString()

/** What a program's own functions may throw over a Secret. */
const throwing: readonly ((text: string) => unknown)[] = [
  text => JSON.parse(text),
  text => {
    throw new Error(`what is ${text}?`, { cause: new TypeError(text) })
  },
  text => {
    throw Object.assign(new RangeError('no'), { name: text, value: { text }, stack: `${text}\n at ${text}` })
  },
  text => {
    throw text
  },
  text => {
    throw new AggregateError([new Error(text)], text)
  },
]

it('X3: no report of transforms, indices, predicates, maps or refusals has anything of a Secret', () =>
  forEachSeed(
    seed => {
      const marker = `MARK${seed}${'x'.repeat(seed % 5)}er`
      const thrown = throwing[seed % throwing.length] as (text: string) => unknown
      const fails = (object: Secret): never => {
        thrown(decoded(object))
        throw new Error('unreachable')
      }
      return inArcade({ seed }, async ({ client, server, operator, run, end, simulation, forGames }) => {
        const { environment } = simulation
        const shown: unknown[] = []
        const parsed = secrets.project('parsed', fails)
        await client.create(secrets, secret('key', marker))
        for (const [verb, message] of [
          ['update', 'denied'],
          ['delete', 'gone'],
          ['list', 'no'],
        ] as const) {
          const effect = {
            kind: 'status',
            code: 403,
            reason: 'Forbidden',
            message: `${message}: "${marker}"`,
          } as const
          await server.faults.add({
            match: { verb, resource: 'secrets', ...(verb === 'list' && { name: 'never' }) },
            effect,
          })
        }
        await server.faults.add({ match: { resource: 'secrets' }, effect: { kind: 'warning', text: marker } })
        forGames()
          .caches(parsed)
          .watches(secrets, fails)
          .watches(configMaps, () => [])
          .reconcile(async ({ read, client: writing, events: recorder, object }) => {
            const problems: unknown[] = []
            const note = (error: unknown): void => void problems.push(error)
            await read.get(parsed, { name: 'key' }).catch(note)
            await read.list(parsed).catch(note)
            await read.get(secrets.project('other', fails), { name: 'key' }).catch(note)
            const found = await read.get(secrets, { name: 'key' })
            if (found !== undefined) await writing.update(secrets, { ...found, type: 'Opaque' } as Secret).catch(note)
            await writing.delete(secrets, { name: 'key', namespace: 'default' }).catch(note)
            shown.push(...problems)
            recorder.record({ type: 'Warning', reason: 'Failed', message: `${object.metadata.name}: ${problems[0]}` })
            throw new Error(`problems: ${problems}`, { cause: problems[0] })
          })
        operator
          .controller('passing')
          .for(secrets)
          .withPredicates(({ object }) => fails(object))
          .reconcile(() => undefined)
        const informer = new Informer({ client, view: secrets, indices: { value: fails } })
        const running = new Informer({ client, view: parsed })
        informer.start()
        running.start()
        await client.create(games, game('chess'))
        run()
        await simulation.advance(30_000)
        await client.patch(secrets, { name: 'key', namespace: 'default' }, { metadata: { labels: { a: 'b' } } })
        await simulation.advance(30_000)
        shown.push(
          operator.report(),
          operator.explain('game', 'default/chess'),
          `${operator.explain('game', 'default/chess')}`,
        )
        shown.push(informer.stats(), running.stats(), running.lastError, running.failed())
        for (const key of running.failed()) {
          try {
            running.get(key)
          } catch (error) {
            shown.push(error)
          }
        }
        shown.push((await client.list(events)).items)
        for (const reported of environment.errors) {
          shown.push(
            reported,
            jsonLine('error', '', reported.error.message, { ...reported.context, err: reported.error }),
          )
          shown.push(textLine('error', '', reported.error.message, { ...reported.context, err: reported.error }))
        }
        shown.push(environment)
        const phases = new Set(environment.errors.map(({ context }) => context.phase))
        expect([...phases].sort()).toEqual([
          'for /v1/secrets predicate',
          'index',
          'reconcile game',
          'transform',
          'watches /v1/secrets',
        ])
        expect(environment.warnings.length).toBeGreaterThan(0)
        const text = inspect(shown, {
          depth: Number.POSITIVE_INFINITY,
          maxArrayLength: null,
          maxStringLength: null,
          showHidden: true,
        })
        const at = text.indexOf(marker)
        expect(at === -1 ? '' : text.slice(Math.max(0, at - 300), at + 100)).toBe('')
        expect(text).not.toContain(Buffer.from(marker).toString('base64'))
        await Promise.all([informer.close(), running.close()])
        await end()
      })
    },
    { seeds: 5 },
  ))
