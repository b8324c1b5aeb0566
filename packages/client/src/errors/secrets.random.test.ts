import { inspect } from 'node:util'
import { forEachSeed } from '@wherry/testing'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { GivenCredentials } from '../credentials/given.ts'
import { tokenReviews } from '../resources/authentication.ts'
import { configMaps, secrets } from '../resources/core.ts'
import { type ScriptedAnswer, scripted } from '../verbs/scripted.fixture.ts'
import { defineResource, type Resource } from '../views/resource.ts'
import { isSensitive } from '../views/sensitive.ts'

const key = { name: 'a', namespace: 'n' }
/** As a program might define it for itself. */
const ownSecrets = defineResource<object>({
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  namespaced: true,
})
const resources = {
  secrets: secrets as Resource<object, 'namespaced'>,
  ownSecrets,
  configMaps: configMaps as Resource<object, 'namespaced'>,
}

/** How a proxy, or a webhook, may have a text that it says. */
const forms: Record<string, (text: string) => string> = {
  plain: text => text,
  url: encodeURIComponent,
  lowerUrl: text => encodeURIComponent(text).replace(/%../g, code => code.toLowerCase()),
  json: text => JSON.stringify({ authorization: `Bearer ${text}` }),
  base64: text => Buffer.from(text).toString('base64'),
  base64url: text => Buffer.from(text).toString('base64url'),
  headers: text => Buffer.from(`GET / HTTP/1.1\r\nauthorization: Bearer ${text}\r\nhost: x\r\n`).toString('base64'),
  shifted: text => Buffer.from(`: ${text}`).toString('base64url'),
}

const tokenText = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'abcXYZ019-._~+/='), minLength: 10, maxLength: 80 }),
  fc
    .uint8Array({ minLength: 9, maxLength: 60 })
    .map(bytes => `eyJhbGciOiJSUzI1NiJ9.${Buffer.from(bytes).toString('base64url')}.s1g`),
  fc.string({ unit: fc.constantFrom(...'"\\/$&(*+?[]{}|^'), minLength: 10, maxLength: 20 }),
)
const word = fc.string({ unit: fc.constantFrom(...'abcdefXYZ0123456789'), minLength: 14, maxLength: 30 })
const prose = fc.constantFrom('', 'denied: ', 'Invalid value: "', 'bad header\nAuthorization: Bearer ', '{"a":"', 'x=')

type Said = (text: string) => ScriptedAnswer

const failure = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 422, reason: 'Invalid' }
const refused = (more: object): ScriptedAnswer => ({ status: 422, body: { ...failure, message: 'm', ...more } })

/** Where a server may say something, in an answer that is a refusal or nonsense. */
const places: Record<string, Said> = {
  message: text => refused({ message: text }),
  reason: text => refused({ reason: text }),
  cause: text => refused({ details: { causes: [{ reason: 'FieldValueInvalid', message: text, field: 'data[x]' }] } }),
  causeReason: text => refused({ details: { causes: [{ reason: text, message: 'm', field: 'data' }] } }),
  field: text => refused({ details: { causes: [{ reason: 'FieldValueInvalid', message: 'm', field: `${text} !` }] } }),
  details: text => refused({ details: { name: text, kind: text, group: text, uid: text } }),
  elsewhere: text => refused({ [text]: text, details: { [text]: text, more: [text] } }),
  plain: text => ({ status: 502, text }),
  notFound: text => ({ status: 404, text }),
  truncated: text => ({ status: 500, text: `{"kind":"Status","message":${JSON.stringify(text)}` }),
  redirect: text => ({ status: 302, headers: { location: `https://elsewhere/?${encodeURIComponent(text)}` }, text }),
  header: text => ({ status: 401, headers: { 'www-authenticate': encodeURIComponent(text) }, body: failure }),
  warning: text => ({
    status: 422,
    headers: {
      warning: `299 - "${Buffer.from(text)
        .toString('latin1')
        .replace(/[\\"]/g, '\\$&')
        .replace(/[^\x20-\xff]/g, ' ')}"`,
    },
    body: failure,
  }),
  noJson: text => ({ text }),
  half: text => ({
    text: `{"kind":"SecretList","items":[{"metadata":{"name":"a"},"data":{"x":${JSON.stringify(text)}`,
  }),
  otherKind: text => ({ body: { kind: text, apiVersion: text, metadata: { name: text } } }),
  nameless: text => ({
    body: { kind: 'SecretList', metadata: { resourceVersion: '5' }, items: [{ data: { x: text } }] },
  }),
  errorEvent: text => ({
    text: `${JSON.stringify({ type: 'ERROR', object: { ...failure, message: text, reason: text, details: { name: text } } })}\n`,
  }),
  oddEvent: text => ({ text: `${JSON.stringify({ type: text, object: { kind: 'Secret', data: { x: text } } })}\n` }),
  halfEvent: text => ({
    text: `{"type":"ADDED","object":{"kind":"Secret","data":{"x":${JSON.stringify(text)}\n{"type":"\n`,
  }),
}

/** All that anybody could be shown of `values`. */
function shown(values: readonly unknown[]): string {
  const texts: string[] = [
    inspect(values, { depth: Number.POSITIVE_INFINITY, showHidden: true, maxStringLength: null, maxArrayLength: null }),
  ]
  const passed = new Set<unknown>()
  const look = (value: unknown): void => {
    if (typeof value === 'string') texts.push(value)
    if (value === null || typeof value !== 'object' || passed.has(value)) return
    passed.add(value)
    for (const name of Reflect.ownKeys(value)) {
      texts.push(String(name))
      look((value as Record<PropertyKey, unknown>)[name])
    }
  }
  look(values)
  texts.push(JSON.stringify(values))
  return texts.join('\n')
}

/** Whether `text` has `secret`, as it is or in what base64 it holds, however that begins. */
function has(text: string, secret: string): boolean {
  const plain = [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]
  if (plain.some(one => text.includes(one) || text.toLowerCase().includes(one.toLowerCase()))) return true
  for (const [run] of text.matchAll(/[\w+/-]{8,}={0,2}/g)) {
    for (let from = 0; from < 4; from++) {
      if (Buffer.from(run.slice(from), 'base64').includes(secret)) return true
    }
  }
  return false
}

it('X3: no credentials, and nothing of a secret, are in errors, whatever a server says', async () => {
  let reported = 0
  const seeds = await forEachSeed(
    async seed =>
      fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...Object.keys(places)),
          fc.constantFrom(...Object.keys(forms)),
          fc.constantFrom(...(Object.keys(resources) as (keyof typeof resources)[])),
          fc.record({
            token: tokenText,
            login: word,
            data: word,
            before: prose,
            isBasic: fc.boolean(),
            first: fc.nat(14),
          }),
          async (place, form, resource, { token, login, data, before, isBasic, first }) => {
            const received: unknown[] = []
            const report = (...parts: unknown[]): void => void received.push(parts)
            const view = resources[resource]
            const quoted = isSensitive(view.resource) ? `"${data}" ` : ''
            const credential = isBasic ? Buffer.from(`me:${token}`).toString('base64') : token
            const text = `${quoted}${before}${(forms[form] as (text: string) => string)(credential)} ${login} after`
            const given = isBasic ? { login: { username: 'me', password: token } } : { token: { data: token } }
            const of = scripted(() => (places[place] as Said)(text), {
              url: undefined,
              access: {
                server: new URL('http://localhost'),
                credentials: new GivenCredentials(given, { monotonic: () => 0 }),
                proxyUrl: `http://me:${login}@proxy.test:1`,
              },
              maxRetries: 0,
              environment: {
                onError: report,
                onWarning: report,
                log: report,
                metrics: { count: report, gauge: report, observe: report },
              },
            } as Parameters<typeof scripted>[1])
            const { client } = of
            const object = { metadata: key, data: { x: data } }
            await of.run(async () => {
              const doing = [
                () => client.get(view, key),
                () => client.get(view.metadata(), key),
                () => client.list(view),
                () => client.list(view.exact()),
                () => client.create(view, object),
                () => client.update(view, object),
                () => client.patch(view, key, { data: { x: data } }),
                () => client.apply(view, object),
                () => client.delete(view, key),
                () => client.deleteCollection(view.within({ namespaces: ['n'] })),
                () => client.status.patch(view, key, {}),
                () => client.guardedBy(() => {}).client.get(view, key),
                async () => {
                  for await (const event of client.watch(view)) report(event.type)
                },
                quoted === ''
                  ? () => client.discoverAll()
                  : () => client.create(tokenReviews, { spec: { token: data } }),
              ]
              for (const call of [...doing, ...doing].slice(first, first + 4)) await call().then(() => {}, report)
              await client.close()
            })
            reported += received.filter(one => (one as unknown[])[0] instanceof Error).length
            const all = shown(received)
            expect(has(all, token), `token of ${place} as ${form}`).toBe(false)
            expect(has(all, login), `login of ${place} as ${form}`).toBe(false)
            if (quoted !== '') expect(has(all, data), `data of ${place} as ${form}`).toBe(false)
          },
        ),
        { seed, numRuns: 8 },
      ),
    { seeds: 25 },
  )
  expect(reported).toBeGreaterThan(seeds)
})
