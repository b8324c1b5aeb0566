import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, type Clock, defineResource, isTooManyRequests, type Metrics } from '@wherry/client'
import { type CustomResourceDefinition, customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { namespaces } from '@wherry/client/resources/core'
import { isConditionTrue, Operator, type OperatorSettings } from '@wherry/controller'
import { type ApiServer, startApiServer } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { afterAll, afterEach, beforeAll, beforeEach, describe } from 'vitest'
import { parse } from 'yaml'

const available = await realApiServerAvailable('operators of the first week')
const writing = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** Counts the write requests that a client sends. */
class WriteCounter implements Metrics {
  writes = 0
  gauge(): void {}
  observe(): void {}
  count(name: string, labels: Readonly<Record<string, string>> = {}, by = 1): void {
    if (name === 'rest_client_requests_total' && writing.has(labels.method ?? '')) this.writes += by
  }
}

/** An operator that runs in a test, as a process of its own would. */
export class RunningOperator implements AsyncDisposable {
  /** What `onError` received, without refusals that end by themselves. */
  readonly errors: Error[] = []
  readonly operator: Operator
  readonly #counter = new WriteCounter()
  readonly #client: Client
  readonly #running: Promise<void>

  constructor(
    server: ApiServer,
    settings: OperatorSettings & { name: string },
    add: (operator: Operator) => void,
    clock?: Clock,
  ) {
    const onError = (error: Error) => {
      // A real server says so of a kind that it has just come to know, and is asked again.
      if (!isTooManyRequests(error)) this.errors.push(error)
    }
    const environment = { metrics: this.#counter, onError, ...(clock === undefined ? {} : { clock }) }
    this.#client = new Client({ url: server.url, ca: server.ca, token: server.token, environment })
    this.operator = new Operator({ ...settings, client: this.#client })
    add(this.operator)
    this.#running = this.operator.run({ signals: false })
  }

  /** The write requests so far. */
  get writes(): number {
    return this.#counter.writes
  }

  settled(): Promise<void> {
    return this.operator.settled()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.operator.close()
    await this.#running
    await this.#client.close()
  }
}

/** A server, and a user that does what users do in a namespace of its own. */
export class Stage {
  readonly server: ApiServer
  readonly client: Client
  readonly namespace: string = `week-${randomUUID().slice(0, 8)}`

  constructor(server: ApiServer) {
    this.server = server
    this.client = new Client({ url: server.url, ca: server.ca, token: server.token, fieldManager: 'user' })
  }
}

/** The definition that `wherry crd` has made of an operator's interface. */
export function definitionOf(name: string): CustomResourceDefinition {
  return parse(readFileSync(join(import.meta.dirname, `deploy/crd/${name}.yaml`), 'utf8'))
}

/** Creates a definition, and waits until its objects are served. */
export async function define(client: Client, definition: CustomResourceDefinition): Promise<void> {
  await client.create(customResourceDefinitions, definition)
  const { group, names, scope, versions } = definition.spec
  const one = customResourceDefinitions.within({ fields: { 'metadata.name': `${names.plural}.${group}` } })
  for await (const event of client.watch(one)) {
    if (event.type === 'BOOKMARK' || !isConditionTrue(event.object.status?.conditions ?? [], 'Established')) continue
    const { name: version = '' } = versions[0] ?? {}
    // Is answered 429 until the server is ready, which the client waits out.
    const { kind, plural } = names
    await client.list(defineResource({ group, version, kind, plural, namespaced: scope === 'Namespaced' }))
    return
  }
}

/** Runs tests on the embedded API server and, where there is one, on a real one: one server, and a stage for each test. */
export function onBothServers(
  definitions: readonly CustomResourceDefinition[],
  tests: (stage: () => Stage) => void,
): void {
  for (const kind of ['embedded', 'real'] as const) {
    describe.runIf(kind === 'embedded' || available)(`on the ${kind} API server`, () => {
      let server: ApiServer
      let stage: Stage
      beforeAll(async () => {
        server = await (kind === 'real' ? startApiServer({ kind }) : startApiServer({ isolate: true }))
        const { client } = new Stage(server)
        for (const definition of definitions) await define(client, definition)
        await client.close()
      })
      afterAll(() => server?.close())
      beforeEach(async () => {
        stage = new Stage(server)
        await stage.client.create(namespaces, { metadata: { name: stage.namespace } })
      })
      afterEach(() => stage.client.close())
      tests(() => stage)
    })
  }
}
